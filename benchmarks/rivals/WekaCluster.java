import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import weka.clusterers.Clusterer;
import weka.core.Instances;

/** Builds one clusterer without the last column, and prints what it cost. Arguments: its class, an ARFF file, rows. */
public class WekaCluster {
    private static final int WARM_UP_ROWS = 1000;
    private static final int WARM_UP_BUILDS = 3;

    private static double cpuSeconds() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private static Clusterer newLearner(String name) throws Exception {
        return (Clusterer) Class.forName(name).getDeclaredConstructor().newInstance();
    }

    public static void main(String[] arguments) throws Exception {
        Instances all = new Instances(new BufferedReader(new FileReader(arguments[1])));
        all.deleteAttributeAt(all.numAttributes() - 1);
        int rows = Integer.parseInt(arguments[2]);
        Instances train = new Instances(all, 0, rows);
        for (int i = 0; i < WARM_UP_BUILDS; i++) {
            newLearner(arguments[0]).buildClusterer(new Instances(train, 0, Math.min(rows, WARM_UP_ROWS)));
        }
        System.gc();
        Clusterer model = newLearner(arguments[0]);
        double cpu = cpuSeconds();
        long wall = System.nanoTime();
        model.buildClusterer(train);
        double wallSpent = (System.nanoTime() - wall) / 1e9;
        double cpuSpent = cpuSeconds() - cpu;
        System.out.println("{\"cpu\": " + cpuSpent + ", \"wall\": " + wallSpent
                + ", \"clusters\": " + model.numberOfClusters() + "}");
    }
}
