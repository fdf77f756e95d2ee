package dev.prpf.par.agent;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.world.scenario.Observation;
import dev.prpf.data.world.scenario.Observation.Kind;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.serve.policy.InterventionPolicy.Admission;
import dev.prpf.par.serve.policy.InterventionPolicy.Moment;
import dev.prpf.par.serve.policy.InterventionPolicy.Outcome;
import dev.prpf.par.serve.policy.UserPolicies;
import dev.prpf.par.serve.policy.UserPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An assistant under a user's policy, by the clock of the world. A forbidden offer becomes silence with the policy's reason. */
public final class PolicedAgent implements ProactiveAgent {
    private final ProactiveAgent agent;
    private final UserPolicies.InMemory policy;
    private final ScenarioWorld world;
    private @Nullable String withheld;

    private PolicedAgent(ProactiveAgent agent, UserPolicies.InMemory policy, ScenarioWorld world) {
        this.agent = agent;
        this.policy = policy;
        this.world = world;
    }

    /** Starts assistants under a policy. */
    public record Source(ProactiveAgent.Source agent, UserPolicy rules) implements ProactiveAgent.Source {
        @Override
        public String id() {
            return agent.id();
        }

        @Override
        public String settings() {
            return agent.settings() + " under " + rules;
        }

        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed) {
            UserPolicies.InMemory policy =
                    new UserPolicies.InMemory(rules, world.world().clock());
            ProactiveAgent started = agent instanceof CascadeAgent.Source cascade
                    ? cascade.start(world, policy)
                    : agent.start(world, seed);
            return new PolicedAgent(started, policy, world);
        }
    }

    @Override
    public Act observe(Observation seen) {
        withheld = null;
        seen.seen().stream()
                .filter(one -> one.kind() == Kind.REPLY && one.call().equals(Scenario.REJECT))
                .forEach(one -> policy.rejected(
                        world.world().clock().instant().minusMillis(Math.round(1000 * (world.now() - one.t())))));
        Act act = agent.observe(seen);
        if (!(act instanceof Offer)) {
            return act;
        }
        Sample shown = world.sample("now");
        Sample sample = shown == null
                ? new Sample("now", 1, null, null, new DeviceContext("", "", ""), Trajectory.BLANK, null)
                : shown;
        Admission admission = policy.admit(new Moment("world", world.scenario().scenario(), sample, false));
        withheld = policy.record(admission, new Outcome(null, 0, null, List.of(), true), null)
                .silence();
        return withheld == null ? act : new Silence();
    }

    @Override
    public @Nullable Judgement judgement() {
        Judgement own = agent.judgement();
        return withheld == null
                ? own
                : own == null
                        ? new Judgement(null, null, withheld, List.of(), null)
                        : new Judgement(own.p(), own.threshold(), withheld, own.scenarios(), own.cost());
    }

    @Override
    public Act execute(Observation seen) {
        return agent.execute(seen);
    }

    @Override
    public int junk() {
        return agent.junk();
    }
}
