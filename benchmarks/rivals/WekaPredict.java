import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import weka.classifiers.Classifier;
import weka.core.Instances;

/**
 * Builds one model, predicts, and prints what both cost and the predicted classes. Arguments: a class of WEKA's, an
 * ARFF file, how many of its rows to learn from, and how many of the rows after these to predict.
 */
public class WekaPredict {
    private static final int WARM_UP_ROWS = 500;
    private static final int WARM_UP_QUERIES = 100;

    private static double cpuSeconds() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private static String predictions(String name, Instances train, Instances all, int first, int count) throws Exception {
        Classifier model = (Classifier) Class.forName(name).getDeclaredConstructor().newInstance();
        model.buildClassifier(train);
        StringBuilder found = new StringBuilder();
        for (int i = first; i < first + count; i++) {
            found.append((int) model.classifyInstance(all.instance(i)));
        }
        return found.toString();
    }

    public static void main(String[] arguments) throws Exception {
        Instances all = new Instances(new BufferedReader(new FileReader(arguments[1])));
        all.setClassIndex(all.numAttributes() - 1);
        int rows = Integer.parseInt(arguments[2]);
        int queries = Math.min(Integer.parseInt(arguments[3]), all.numInstances() - rows);
        Instances few = new Instances(all, 0, Math.min(rows, WARM_UP_ROWS));
        predictions(arguments[0], few, all, 0, Math.min(rows, WARM_UP_QUERIES));
        System.gc();

        double cpu = cpuSeconds();
        long wall = System.nanoTime();
        String found = predictions(arguments[0], new Instances(all, 0, rows), all, rows, queries);
        double wallSpent = (System.nanoTime() - wall) / 1e9;
        double cpuSpent = cpuSeconds() - cpu;

        int right = 0;
        for (int i = 0; i < queries; i++) {
            right += found.charAt(i) - '0' == (int) all.instance(rows + i).classValue() ? 1 : 0;
        }
        double accuracy = right / (double) queries;
        System.out.println("{\"cpu\": " + cpuSpent + ", \"wall\": " + wallSpent + ", \"accuracy\": " + accuracy
            + ", \"predictions\": \"" + found + "\"}");
    }
}
