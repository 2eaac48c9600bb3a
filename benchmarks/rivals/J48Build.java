import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import weka.classifiers.trees.J48;
import weka.core.Instances;

/** Builds one J48 tree and prints what it cost. Arguments: an ARFF file, how many of its rows to learn from. */
public class J48Build {
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
            new J48().buildClassifier(new Instances(train, 0, Math.min(rows, WARM_UP_ROWS)));
        }
        System.gc();

        J48 tree = new J48();
        double cpu = cpuSeconds();
        long wall = System.nanoTime();
        tree.buildClassifier(train);
        double wallSpent = (System.nanoTime() - wall) / 1e9;
        double cpuSpent = cpuSeconds() - cpu;

        int right = 0;
        for (int i = rows; i < all.numInstances(); i++) {
            if (tree.classifyInstance(all.instance(i)) == all.instance(i).classValue()) {
                right++;
            }
        }
        double accuracy = right / (double) (all.numInstances() - rows);
        System.out.println("{\"cpu\": " + cpuSpent + ", \"wall\": " + wallSpent + ", \"accuracy\": " + accuracy
            + ", \"leaves\": " + (int) tree.measureNumLeaves() + ", \"size\": " + (int) tree.measureTreeSize() + "}");
    }
}
