package dev.prpf.cli.launch;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Resources of a job: {@code configs/launch/job.yaml}.
 *
 * @param nodes number of an array's members that run at a time, each on its own node
 * @param gpus of a member
 * @param cpus of a member
 * @param memoryGib of a member, in GiB
 * @param time limit of one start of a member, {@code [D-]HH:MM:SS}; null for no limit
 * @param grace seconds before the limit at which the member is signalled to save
 * @param restarts number of times that a member resumes after exit code 75
 * @param retries number of times that a killed member starts again
 * @param profile auto, or the {@code PRPF_PROFILE} of the job
 * @param environment further variables of the job
 */
@Defaults("/configs/launch/job.yaml")
public record LaunchConfig(
        int nodes,
        int gpus,
        int cpus,
        int memoryGib,
        @Nullable String time,
        int grace,
        int restarts,
        int retries,
        String profile,
        Map<String, String> environment,
        Slurm slurm,
        Kubernetes kubernetes) {
    private static final Pattern TIME = Pattern.compile("(?:(\\d{1,3})-)?(\\d{1,3}):([0-5]\\d):([0-5]\\d)");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_]\\w*");
    private static final Pattern NAME = Pattern.compile("[^\\s'\"`\\\\#]+");
    private static final Pattern SECRET = Pattern.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?/[A-Za-z0-9._-]+");
    /** Slurm's limit for the grace period. */
    private static final int LONGEST_GRACE = 65_535;

    public LaunchConfig {
        Rule.require(nodes >= 1, "nodes", nodes, "1 or more");
        Rule.require(gpus >= 0, "gpus", gpus, "0 or more");
        Rule.require(cpus >= 1, "cpus", cpus, "1 or more");
        Rule.require(memoryGib >= 1, "memory-gib", memoryGib, "1 or more");
        Rule.require(restarts >= 0, "restarts", restarts, "0 or more");
        Rule.require(retries >= 0, "retries", retries, "0 or more");
        Rule.require(grace >= 1 && grace <= LONGEST_GRACE, "grace", grace, "seconds from 1 to " + LONGEST_GRACE);
        Rule.require(time == null || TIME.matcher(time).matches(), "time", time, "[D-]HH:MM:SS, as 04:00:00");
        Rule.require(time == null || seconds(time) > grace, "time", time, "longer than grace = " + grace + " s");
        Rule.require(
                profile.matches("(auto|cpu|cuda|cuda-mpp|cuda-pip)(,encoders)?"),
                "profile",
                profile,
                "auto, cpu, cuda, cuda-mpp or cuda-pip, and ,encoders after it for the other text encoders");
        environment = Map.copyOf(environment);
        environment
                .keySet()
                .forEach(name ->
                        Rule.require(VARIABLE.matcher(name).matches(), "environment", name, "the name of a variable"));
        kubernetes.secrets().keySet().stream()
                .filter(environment::containsKey)
                .forEach(name -> Rule.require(
                        false, "environment", name, "in environment or in kubernetes.secrets, not in both"));
    }

    /** The queueing system of a Job. */
    public enum QueueSystem {
        NONE,
        KUEUE,
        VOLCANO
    }

    /**
     * Settings for Slurm only.
     *
     * @param options further options of sbatch, each as {@code --name=value}
     */
    public record Slurm(
            @Nullable String partition, @Nullable String account, @Nullable String qos, List<String> options) {
        public Slurm {
            requireName("partition", partition);
            requireName("account", account);
            requireName("qos", qos);
            options = List.copyOf(options);
            options.forEach(option -> Rule.require(
                    option.startsWith("-") && option.lines().count() == 1, "options", option, "--name=value"));
        }

        /** Rejects names that would begin another option in a directive of the job file. */
        private static void requireName(String key, @Nullable String name) {
            Rule.require(
                    name == null || NAME.matcher(name).matches(),
                    key,
                    name,
                    "null, or a name without blanks, quotes, backslashes and #");
        }
    }

    /**
     * Settings for Kubernetes only.
     *
     * @param image image that holds prpf; the default tag is the build, cpu or cuda
     * @param claim the PersistentVolumeClaim with data, models and runs
     * @param mount mount path of the claim; paths of the command begin with it
     * @param queue name of the queue; null without a queue system
     * @param secrets further variables of the job with values from Kubernetes Secrets, each as {@code SECRET/KEY}
     */
    public record Kubernetes(
            String image,
            String namespace,
            String claim,
            String mount,
            QueueSystem queueSystem,
            @Nullable String queue,
            Map<String, String> secrets) {
        public Kubernetes {
            secrets = Map.copyOf(secrets);
            secrets.forEach((name, value) -> {
                Rule.require(VARIABLE.matcher(name).matches(), "secrets", name, "the name of a variable");
                Rule.require(
                        SECRET.matcher(value).matches(),
                        "secrets." + name,
                        value,
                        "SECRET/KEY, a Secret of the namespace and its key, as hub/token");
            });
            Rule.require(mount.startsWith("/"), "mount", mount, "an absolute path");
            Rule.require(
                    (queue == null) == (queueSystem == QueueSystem.NONE),
                    "queue",
                    queue,
                    "the queue's name with queue-system kueue or volcano, and null with none");
        }
    }

    /** Returns the seconds after which a member is signalled to save; null without a limit. */
    @Nullable
    Long saveAfter() {
        return time == null ? null : (Long) (seconds(time) - grace);
    }

    private static long seconds(String time) {
        Matcher parts = TIME.matcher(time);
        if (!parts.matches()) {
            return 0;
        }
        long days = parts.group(1) == null ? 0 : Long.parseLong(parts.group(1));
        long hours = 24 * days + Long.parseLong(parts.group(2));
        return 60 * (60 * hours + Long.parseLong(parts.group(3))) + Long.parseLong(parts.group(4));
    }
}
