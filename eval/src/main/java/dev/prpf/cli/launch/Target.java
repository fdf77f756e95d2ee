package dev.prpf.cli.launch;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.command.EnumOption;
import dev.prpf.base.config.EnumName;
import dev.prpf.cli.launch.NotedScheduler.LocalScheduler;
import dev.prpf.cli.launch.NotedScheduler.SlurmScheduler;

/** The scheduler of a job. */
enum Target {
    @JsonProperty("slurm")
    SLURM("slurm.sh", "job.sh"),
    @JsonProperty("kubernetes")
    KUBERNETES("kubernetes.yaml", "job.yaml"),
    @JsonProperty("local")
    LOCAL("local.sh", "job.sh");

    /** Its file in {@code configs/launch/}. */
    final String template;
    /** Its name in the launch's folder. */
    final String job;

    Target(String template, String job) {
        this.template = template;
        this.job = job;
    }

    JobScheduler scheduler(Programs programs) {
        return switch (this) {
            case SLURM -> new SlurmScheduler(programs);
            case KUBERNETES -> new KubernetesScheduler(programs);
            case LOCAL -> new LocalScheduler(programs);
        };
    }

    @Override
    public String toString() {
        return EnumName.of(this);
    }

    /** Parses the option {@code --to}. */
    static final class Option extends EnumOption<Target> {
        Option() {
            super(Target.class);
        }
    }
}
