package dev.prpf.cli.launch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code launch.json}: what was submitted.
 *
 * @param to the scheduler
 * @param name of the job
 * @param id that the scheduler gave it, or {@code PID@HOST}; null until it took the job
 * @param namespace of Kubernetes, else null
 * @param nodes members that run at a time
 * @param members command lines, without {@code ./prpf}
 * @param then the command line that goes on once all members are done; null where there is none
 * @param submitted when, in UTC
 */
record Launch(
        Target to,
        String name,
        @Nullable String id,
        @Nullable String namespace,
        int nodes,
        List<String> members,
        @Nullable String then,
        String submitted) {
    Launch {
        members = List.copyOf(members);
        if (members.isEmpty()) {
            throw new IllegalArgumentException("members must be one or more");
        }
    }

    Launch withId(String taken) {
        return new Launch(to, name, taken, namespace, nodes, members, then, submitted);
    }
}
