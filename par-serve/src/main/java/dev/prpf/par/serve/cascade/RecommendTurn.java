package dev.prpf.par.serve.cascade;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.serve.cascade.ServedCascade.RecommendAnswer;
import dev.prpf.par.serve.policy.InterventionPolicy;
import dev.prpf.par.serve.policy.InterventionPolicy.Admission;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Handles one recommendation request, from the policy's admission to the recorded outcome. */
final class RecommendTurn implements ServedReasoner.Listener {
    private final ServedCascade cascade;
    private final Admission admission;
    private final ServedCascade.Ask ask;
    private final Sample sample;
    private final double threshold;
    private final Audience audience;
    private final boolean passive;
    private CandidatePool candidates = new CandidatePool(List.of(), List.of());
    private PredictionCost cost = PredictionCost.NOTHING;
    private @Nullable Perception perception;
    private InterventionPolicy.@Nullable Recorded begun;
    private boolean recorded;

    RecommendTurn(ServedCascade cascade, ServedCascade.Ask ask, Admission admission, Audience audience) {
        this.cascade = cascade;
        this.ask = ask;
        this.admission = admission;
        sample = ask.readable(admission);
        threshold = cascade.threshold(ask, admission);
        this.audience = audience;
        passive = admission.moment().passive();
    }

    /** Returns the readable part of the sample. */
    Sample sample() {
        return sample;
    }

    RecommendAnswer answer(ServedReasoner reasoner, String caller) {
        if (!passive && admission.silence() != null) {
            return silent(admission.silence()); // skipped: no recommendation is possible
        }
        PerceiverService perceiver = cascade.parts().perceiver();
        Cascade.Decision decision = cascade.decide(
                perceiver.perceives() ? perceiver.perceive(new Client(caller, audience::waiting), sample) : null,
                threshold);
        cost = decision.cost();
        candidates = ask.candidates(decision.candidates());
        perception = decision.perception();
        String kept = ServedCascade.silence(admission, decision.passes());
        if (perception != null) {
            audience.perceived(new Audience.Perceived(
                    perception.pTrigger(), kept == null, threshold, perception.scenarios(), functions()));
        }
        if (!passive && kept != null) {
            return silent(kept);
        }
        Reasoner.Reasoning reasoning =
                reasoner.reason(caller, new Reasoner.Request(sample, perception, candidates), this);
        cost = cost.plus(reasoning.cost());
        return reasoned(reasoning);
    }

    private List<String> functions() {
        return candidates.functions().stream().map(FunctionSpec::name).toList();
    }

    private RecommendAnswer silent(String why) {
        record(why, List.of(), false);
        return answered(Prediction.Route.SILENT, null, List.of(), null, why);
    }

    private RecommendAnswer reasoned(Reasoner.Reasoning reasoning) {
        List<Recommendation> read =
                reasoning.response() instanceof ParResponse.Parsed parsed ? parsed.recommendations() : null;
        boolean acts =
                read != null && read.stream().anyMatch(one -> !one.calls().isEmpty());
        String silence = acts ? null : read == null ? "malformed" : "empty-response";
        String refused = refused();
        if (refused == null) {
            List<Recommendation> recommended = acts && read != null ? read : List.of();
            refused = record(silence, recommended, acts && !passive && !ask.isOwnCall(recommended))
                    .silence();
        }
        if (refused != null) { // its text contains what may not be shown
            return answered(Prediction.Route.REASONED, null, List.of(), null, refused);
        }
        List<JsonNode> written = read == null
                ? null
                : read.stream().<JsonNode>map(FunctionCallJson::write).toList();
        return answered(
                Prediction.Route.REASONED, reasoning, written, Prediction.Finish.of(reasoning.finish()), silence);
    }

    private RecommendAnswer answered(
            Prediction.Route route,
            Reasoner.@Nullable Reasoning reasoning,
            @Nullable List<JsonNode> recommendations,
            Prediction.@Nullable Finish finish,
            @Nullable String silence) {
        return new RecommendAnswer(
                route,
                perception == null ? null : perception.pTrigger(),
                threshold,
                perception == null ? Map.of() : perception.scenarios(),
                functions(),
                reasoning == null ? null : reasoning.text(),
                recommendations,
                finish,
                cost,
                admission.withheld(),
                silence);
    }

    /** Returns why the policy refused the intervention when its stream began, or null. */
    private @Nullable String refused() {
        return begun == null ? null : begun.silence();
    }

    /** Records the outcome; replaces the entry that was written when the stream began. */
    private InterventionPolicy.Recorded record(
            @Nullable String silence, List<Recommendation> recommended, boolean intervention) {
        recorded = true; // also if it fails: a second try would wait for the database again
        InterventionPolicy.Outcome outcome =
                new InterventionPolicy.Outcome(perception, threshold, silence, recommended, intervention);
        return cascade.parts().policy().record(admission, outcome, begun);
    }

    /** Records a turn that ended by an error; what a stream has shown counts. */
    void end() {
        if (!recorded && refused() == null) {
            record(ServedCascade.FAILED, List.of(), begun != null);
        }
    }

    @Override
    public boolean watches() {
        return audience.watches();
    }

    @Override
    public boolean wrote(ResponseParts.Delta delta) {
        if (!passive && begun == null) { // an answer to a user's question is no intervention
            begun = record(null, List.of(), true);
            recorded = false;
        }
        if (refused() != null) {
            return false;
        }
        audience.wrote(delta);
        return true;
    }

    @Override
    public @Nullable String trajectoryField() {
        return ask.fields().trajectory();
    }

    @Override
    public void waiting() {
        audience.waiting();
    }
}
