package dev.prpf.base.command;

/** A destination for a run's metrics in addition to its own files. */
public enum Tracker {
    /** An MLflow server, configured by MLflow's environment variables. */
    MLFLOW,
    /** TensorBoard event files in the run's folder. */
    TENSORBOARD;

    /** Converts an option's value to a tracker. */
    public static final class Converter extends EnumOption<Tracker> {
        public Converter() {
            super(Tracker.class);
        }
    }
}
