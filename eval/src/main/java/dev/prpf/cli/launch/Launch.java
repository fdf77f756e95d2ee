package dev.prpf.cli.launch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The description of a submitted job, as written to {@code launch.json}.
 *
 * @param to scheduler of the job
 * @param name of the job
 * @param id the scheduler's id, or {@code PID@HOST}; null until the scheduler accepted the job
 * @param namespace of Kubernetes, else null
 * @param nodes number of members that run at a time
 * @param members command lines, without {@code ./prpf}
 * @param then the next command line once all members are done; null without one
 * @param submitted time in UTC
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
        if (members.isEmpty()) {
            throw new IllegalArgumentException("members must be one or more");
        }
    }

    Launch withId(String taken) {
        return new Launch(to, name, taken, namespace, nodes, members, then, submitted);
    }
}
