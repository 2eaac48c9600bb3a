import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import weka.classifiers.trees.M5P;
import weka.core.Instances;

/** Builds one M5P tree and prints what it cost. Arguments: an ARFF file, how many of its rows to learn from. */
public class M5PBuild {
    private static final int WARM_UP_ROWS = 5000;
    private static final int WARM_UP_BUILDS = 3;

    private static double cpuSeconds() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    public static void main(String[] arguments) throws Exception {
        Instances all = new Instances(new BufferedReader(new FileReader(arguments[0])));
        all.setClassIndex(all.numAttributes() - 1);
        int rows = Integer.parseInt(arguments[1]);
        Instances train = new Instances(all, 0, rows);
        for (int i = 0; i < WARM_UP_BUILDS; i++) {
            new M5P().buildClassifier(new Instances(train, 0, Math.min(rows, WARM_UP_ROWS)));
        }
        System.gc();

        M5P tree = new M5P();
        double cpu = cpuSeconds();
        long wall = System.nanoTime();
        tree.buildClassifier(train);
        double wallSpent = (System.nanoTime() - wall) / 1e9;
        double cpuSpent = cpuSeconds() - cpu;

        double squares = 0;
        for (int i = rows; i < all.numInstances(); i++) {
            double error = tree.classifyInstance(all.instance(i)) - all.instance(i).classValue();
            squares += error * error;
        }
        double rmse = Math.sqrt(squares / (all.numInstances() - rows));
        System.out.println("{\"cpu\": " + cpuSpent + ", \"wall\": " + wallSpent + ", \"rmse\": " + rmse
            + ", \"leaves\": " + (int) tree.measureNumRules() + "}");
    }
}
