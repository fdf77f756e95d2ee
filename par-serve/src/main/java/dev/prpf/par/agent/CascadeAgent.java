package dev.prpf.par.agent;

import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Cost;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.mpp.Perceiver;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.serve.policy.InterventionPolicy.Admission;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cascade as an assistant in the world of a phone. After each event the gate scores what the phone shows. The reasoner runs only if the gate
 * opens and the policy allows an intervention. The planned calls are executed after the user's acceptance.
 */
public final class CascadeAgent implements ProactiveAgent {
    private final Cascade cascade;
    private final EpisodePolicy policy;
    private final Agents.@Nullable Gated expected;
    private final Deque<Call> planned = new ArrayDeque<>();
    private @Nullable Judgement judgement;
    private boolean opens;

    private CascadeAgent(Source source, ScenarioWorld world, EpisodePolicy policy) {
        this.cascade = source.cascade;
        this.policy = policy;
        this.expected = source.gateOnly ? new Agents.Gated(world, event -> opens) : null;
    }

    /**
     * Starts the assistants of a cascade; several episodes may share it.
     *
     * @param gateOnly whether offers and calls come from the scenario's expected run, so that the cascade only decides when to help
     * @param files identifies the files of the models
     */
    public record Source(Cascade cascade, boolean gateOnly, String files) implements ProactiveAgent.Source {
        @Override
        public String id() {
            return (gateOnly ? "gate-" : "cascade-") + cascade.settings().threshold();
        }

        @Override
        public String settings() {
            return id() + " of the files " + files;
        }

        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed, EpisodePolicy policy) {
            if (world.sample() == null) {
                throw new UsageException(world.scenario().scenario() + ": has no app " + ScenarioWorld.PHONE
                        + "; a cascade reads the samples of this app; choose another --agent or --days");
            }
            return new CascadeAgent(this, world, policy);
        }
    }

    @Override
    public @Nullable Judgement judgement() {
        return judgement;
    }

    @Override
    public Act observe(List<EpisodeStep> seen) {
        judgement = null;
        opens = false;
        boolean event = seen.stream().anyMatch(EpisodeStep.Event.class::isInstance);
        Prediction prediction = event ? judge() : null;
        if (expected != null) {
            return expected.observe(seen);
        }
        List<FunctionCall> calls = prediction == null ? null : prediction.scored();
        if (prediction == null || calls == null || calls.isEmpty()) {
            return new Silence();
        }
        planned.clear();
        calls.forEach(call -> planned.add(new Call(ScenarioWorld.PHONE + "." + call.name(), call.parameters())));
        return new Offer(text(prediction, calls), List.copyOf(planned));
    }

    /** Scores what the phone shows; returns the reasoner's prediction if it ran. */
    private @Nullable Prediction judge() {
        Admission admission = policy.admit();
        Cascade own =
                cascade.withThreshold(admission.threshold(cascade.settings().threshold()));
        synchronized (cascade.reasoner()) {
            List<Sample> samples = List.of(admission.sample());
            List<Perceiver.Costed> perceived = own.perceive(samples);
            Perceiver.Costed scored = perceived == null ? null : perceived.get(0);
            Cascade.Decision decision = own.settings().decide(scored, own.pool(), own.catalog());
            opens = decision.passes();
            String withheld = opens ? admission.silence() : null;
            boolean reasons = opens && withheld == null && expected == null;
            Prediction prediction =
                    reasons ? own.reason(samples, perceived, () -> {}).get(0) : null;
            PredictionCost cost = prediction == null ? decision.cost() : prediction.cost();
            judgement = new Judgement(
                    decision.perception() == null ? null : decision.perception().pTrigger(),
                    own.settings().threshold(),
                    withheld,
                    opens && decision.perception() != null
                            ? decision.perception().top(own.settings().shortlist())
                            : List.of(),
                    cost == null ? null : cost(cost));
            return prediction;
        }
    }

    private static Cost cost(PredictionCost cost) {
        Integer prompt = cost.promptTokens();
        Integer response = cost.newTokens();
        Integer tokens = prompt == null || response == null ? null : (Integer) (prompt + response);
        return new Cost(tokens, cost.flops().total(), cost.seconds().total());
    }

    private static String text(Prediction prediction, List<FunctionCall> calls) {
        String response = prediction.response();
        return response != null
                        && ResponseParser.parse(response) instanceof ParResponse.Parsed parsed
                        && !parsed.recommendations().isEmpty()
                        && !parsed.recommendations().get(0).instruction().isBlank()
                ? parsed.recommendations().get(0).instruction()
                : calls.stream().map(FunctionCall::name).collect(Collectors.joining(", ", "Shall I call ", "?"));
    }

    @Override
    public Act execute(List<EpisodeStep> seen) {
        if (expected != null) {
            return expected.execute(seen);
        }
        Call next = planned.poll();
        return next == null ? new Report("Done.") : next;
    }
}
