import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.graph.PerceiverGraph;
import dev.prpf.mpp.network.graph.PerceiverInputs;
import java.io.File;
import java.util.List;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Restores a trained perceiver's mpp.zip with DL4J and predicts: {@code java -cp … RestorePerceiver.java runs/gate/best/step_N/mpp.zip}. */
class RestorePerceiver {
    public static void main(String[] arguments) throws Exception {
        ComputationGraph graph = ModelSerializer.restoreComputationGraph(new File(arguments[0]));
        NetworkShape shape = PerceiverGraph.shape(graph);
        float[] text = new float[shape.width()]; // an encoder's vector
        text[0] = 1;
        float[][][] context = {{text}, {text}, {text}}; // profile, phone, world
        float[][] steps = {text, text};
        SampleFeatures sample = new SampleFeatures("now", context, steps, new boolean[steps.length], null, null);
        INDArray[] outputs = graph.output(PerceiverInputs.features(FeatureBatch.of(List.of(sample), shape)));
        System.out.println("p_trigger " + outputs[0] + ", p_scenario " + outputs[1]);
        System.exit(0); // the worker threads of the libraries are no daemons
    }
}
