import java.io.*;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import weka.classifiers.Classifier;
import weka.clusterers.Clusterer;
import weka.core.Instances;
import weka.core.Utils;

/**
 * Answers questions about WEKA's models until standard input ends.
 *
 * A question is four texts: a class name, its options, an ARFF file to learn from, and an ARFF file of rows to predict.
 * The answer is three texts: the model as WEKA prints it, a line for each row (the class distribution, or the number
 * predicted, or the cluster), and an error ("" if there was none). A text is its length in bytes and UTF-8.
 *
 * Every answer is that of a new process. In WEKA 3.6, M5P and M5Rules change a tolerance of the whole process (Utils.SMALL,
 * from 1e-6 to 1e-10), which other schemes would then use too; so it is set back before each question.
 */
public class WekaServer {
  private static final double SMALL = Utils.SMALL;

  private static void setBack() throws ReflectiveOperationException {
    Field small = Utils.class.getField("SMALL");
    if (!Modifier.isFinal(small.getModifiers())) small.setDouble(null, SMALL);
  }

  private static String read(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void write(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String[] answer(String name, String options, String training, String asked) throws Exception {
    setBack();
    Instances rows = new Instances(new StringReader(training));
    Instances others = new Instances(new StringReader(asked));
    StringBuilder lines = new StringBuilder();
    if (name.startsWith("weka.clusterers.")) {
      Clusterer scheme = (Clusterer) Utils.forName(Clusterer.class, name, Utils.splitOptions(options));
      scheme.buildClusterer(rows);
      for (int i = 0; i < others.numInstances(); i++) lines.append(scheme.clusterInstance(others.instance(i))).append('\n');
      return new String[] {scheme.toString(), lines.toString(), ""};
    }
    rows.setClassIndex(rows.numAttributes() - 1);
    others.setClassIndex(others.numAttributes() - 1);
    Classifier scheme = (Classifier) Utils.forName(Classifier.class, name, Utils.splitOptions(options));
    scheme.buildClassifier(rows);
    String text = scheme.toString();
    for (int i = 0; i < others.numInstances(); i++) {
      StringBuilder line = new StringBuilder();
      for (double share : scheme.distributionForInstance(others.instance(i))) line.append(share).append(' ');
      lines.append(line.toString().trim()).append('\n');
    }
    return new String[] {text, lines.toString(), ""};
  }

  public static void main(String[] arguments) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
    System.setOut(System.err); // what WEKA prints on its own must not mix with answers
    write(out, weka.core.Version.VERSION);
    out.flush();
    while (true) {
      String name;
      try {
        name = read(in);
      } catch (EOFException end) {
        return;
      }
      String options = read(in), training = read(in), asked = read(in);
      String[] found;
      try {
        found = answer(name, options, training, asked);
      } catch (Exception | StackOverflowError error) {
        found = new String[] {"", "", error.toString()};
      }
      for (String text : found) write(out, text);
      out.flush();
    }
  }
}
