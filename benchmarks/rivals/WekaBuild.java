import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import weka.classifiers.Classifier;
import weka.core.AdditionalMeasureProducer;
import weka.core.Instances;
import weka.core.OptionHandler;
import weka.core.Utils;

/**
 * Builds one model and prints what it cost. Arguments: a class of WEKA's with its options, an ARFF file, how many of its
 * rows to learn from, and the names of measures to report, each as name=measure.
 */
public class WekaBuild {
    private static final int WARM_UP_ROWS = 5000;
    private static final int WARM_UP_BUILDS = 3;

    private static double cpuSeconds() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private static Classifier newLearner(String name) throws Exception {
        String[] words = Utils.splitOptions(name);
        Classifier made = (Classifier) Class.forName(words[0]).getDeclaredConstructor().newInstance();
        words[0] = "";
        ((OptionHandler) made).setOptions(words);
        return made;
    }

    public static void main(String[] arguments) throws Exception {
        Instances all = new Instances(new BufferedReader(new FileReader(arguments[1])));
        all.setClassIndex(all.numAttributes() - 1);
        int rows = Integer.parseInt(arguments[2]);
        Instances train = new Instances(all, 0, rows);
        for (int i = 0; i < WARM_UP_BUILDS; i++) {
            newLearner(arguments[0]).buildClassifier(new Instances(train, 0, Math.min(rows, WARM_UP_ROWS)));
        }
        System.gc();

        Classifier model = newLearner(arguments[0]);
        double cpu = cpuSeconds();
        long wall = System.nanoTime();
        model.buildClassifier(train);
        double wallSpent = (System.nanoTime() - wall) / 1e9;
        double cpuSpent = cpuSeconds() - cpu;

        int right = 0;
        double squares = 0;
        for (int i = rows; i < all.numInstances(); i++) {
            double error = model.classifyInstance(all.instance(i)) - all.instance(i).classValue();
            right += error == 0 ? 1 : 0;
            squares += error * error;
        }
        int heldOut = all.numInstances() - rows;
        StringBuilder found = new StringBuilder("{\"cpu\": " + cpuSpent + ", \"wall\": " + wallSpent);
        if (all.classAttribute().isNominal()) {
            found.append(", \"accuracy\": " + right / (double) heldOut);
        } else {
            found.append(", \"rmse\": " + Math.sqrt(squares / heldOut));
        }
        for (int i = 3; i < arguments.length; i++) {
            String[] named = arguments[i].split("=");
            int measure = (int) ((AdditionalMeasureProducer) model).getMeasure(named[1]);
            found.append(", \"" + named[0] + "\": " + measure);
        }
        System.out.println(found.append("}"));
    }
}
