package dev.prpf.eval.score;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.eval.judge.Judge;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Small samples and predictions for the tests. */
public final class Cases {
    static final DeviceContext CONTEXT = new DeviceContext("a runner", "battery 80 %", "Sunday");

    private Cases() {}

    /** Returns a text sample of difficulty 1 with the given valid answers. */
    @SafeVarargs
    @SuppressWarnings("varargs") // passed on, not stored
    static Sample text(String id, List<FunctionCall>... answers) {
        return new Sample(
                id,
                1,
                "test",
                null,
                CONTEXT,
                Trajectory.ofTexts(List.of("opens the app " + id)),
                recommendations(answers));
    }

    /** Returns a multimodal sample of the given difficulty and valid answers. */
    @SafeVarargs
    @SuppressWarnings("varargs") // passed on, not stored
    static Sample screens(String id, int difficulty, List<FunctionCall>... answers) {
        Trajectory trajectory = new Trajectory(List.of(new TraceStep.Screenshot(id + ".png")));
        return new Sample(id, difficulty, "test", null, CONTEXT, trajectory, recommendations(answers));
    }

    static Sample unlabelled(String id) {
        return new Sample(id, 1, null, null, CONTEXT, Trajectory.ofTexts(List.of("opens the app")), null);
    }

    @SafeVarargs
    private static List<Recommendation> recommendations(List<FunctionCall>... answers) {
        List<Recommendation> recommendations = new ArrayList<>();
        for (List<FunctionCall> calls : answers) {
            recommendations.add(new Recommendation("", calls));
        }
        return recommendations;
    }

    /** Returns calls without parameters; no calls are silence. */
    public static List<FunctionCall> calls(String... names) {
        return Arrays.stream(names)
                .map(name -> new FunctionCall(name, Map.of()))
                .toList();
    }

    /** Returns one call with parameters given as a JSON object. */
    public static List<FunctionCall> call(String name, String parameters) {
        Map<String, JsonNode> byName = new LinkedHashMap<>();
        try {
            new ObjectMapper().readTree(parameters).properties().forEach(e -> byName.put(e.getKey(), e.getValue()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(parameters, e);
        }
        return List.of(new FunctionCall(name, byName));
    }

    /** Returns a prediction of the reasoner with one recommendation. */
    static Prediction reasoned(String id, List<FunctionCall> calls) {
        return prediction(id, Prediction.Route.REASONED, List.of(calls));
    }

    /** Returns a prediction with the reasoner's abstention. */
    static Prediction abstained(String id) {
        return prediction(id, Prediction.Route.REASONED, List.of());
    }

    /** Returns a prediction with the gate's silence. */
    static Prediction gated(String id) {
        return prediction(id, Prediction.Route.SILENT, List.of());
    }

    /** Returns a prediction with a malformed response. */
    static Prediction malformed(String id) {
        return prediction(id, Prediction.Route.REASONED, null);
    }

    static Prediction prediction(String id, Prediction.Route route, @Nullable List<List<FunctionCall>> calls) {
        return new Prediction(id, route, 0.5, Map.of(), null, calls);
    }

    static FunctionPool pool(String... names) {
        return new FunctionPool(Arrays.stream(names)
                .map(name -> new FunctionSpec(name, "does " + name, List.of(), List.of()))
                .toList());
    }

    /** Scores with the exact judge, no catalogue, few resamples. */
    static Scores score(List<Sample> gold, Prediction... predictions) {
        Map<String, Prediction> byId = Pairing.of(gold, "gold", List.of(predictions), "predictions");
        return new Scorer(null, Judge.standard(), new Bootstrap(50, 1, 95)).score(gold, byId, pool("a", "b", "c", "d"));
    }
}
