package dev.prpf.par.agent;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.serve.policy.InterventionPolicy;
import dev.prpf.par.serve.policy.InterventionPolicy.Admission;
import dev.prpf.par.serve.policy.InterventionPolicy.Moment;
import dev.prpf.par.serve.policy.InterventionPolicy.Outcome;
import dev.prpf.par.serve.policy.UserPolicies;
import dev.prpf.par.serve.policy.UserPolicy;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A user's policy in one episode, by the world's clock. Assistant and runner share one admission per instant of a turn. */
public final class EpisodePolicy {
    private final ScenarioWorld world;
    private final UserPolicies.@Nullable InMemory state;
    private @Nullable Admission admission;
    private Instant admitted = Instant.MIN;

    /** @param rules null for no policy */
    public EpisodePolicy(ScenarioWorld world, @Nullable UserPolicy rules) {
        this.world = world;
        this.state = rules == null
                ? null
                : new UserPolicies.InMemory(rules, world.world().clock());
    }

    /** Starts assistants under a policy. */
    public record Source(ProactiveAgent.Source agent, UserPolicy policy) implements ProactiveAgent.Source {
        @Override
        public String id() {
            return agent.id();
        }

        @Override
        public String settings() {
            return agent.settings() + " under " + policy;
        }

        @Override
        public ProactiveAgent start(ScenarioWorld world, long seed, EpisodePolicy own) {
            return agent.start(world, seed, own);
        }
    }

    /** Discards the last admission: the phone or the history may have changed since, even at the same instant. */
    public void startTurn() {
        admission = null;
    }

    /** Decides which parts of the phone's current content may be read, and whether an offer may follow. */
    Admission admit() {
        Instant now = world.world().clock().instant();
        if (admission == null || !now.equals(admitted)) {
            Sample shown = world.sample();
            Sample sample = shown == null
                    ? new Sample("now", 1, null, null, new DeviceContext("", "", ""), Trajectory.BLANK, null)
                    : shown;
            Moment moment = new Moment("world", world.scenario().scenario(), sample, false);
            admission = (state == null ? InterventionPolicy.none() : state).admit(moment);
            admitted = now;
        }
        return admission;
    }

    /** Records an offer at the current time; returns why it is withheld, or null. */
    public @Nullable String withheld() {
        return state == null
                ? null
                : state.record(admit(), new Outcome(null, 0, null, List.of(), true), null)
                        .silence();
    }

    /** Records that the user rejects an offer at the current time. */
    public void rejected() {
        if (state != null) {
            state.rejected(world.world().clock().instant());
        }
    }
}
