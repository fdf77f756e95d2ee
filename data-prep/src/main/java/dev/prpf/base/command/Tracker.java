package dev.prpf.base.command;

/** Where a run's metrics can go beside its own files. */
public enum Tracker {
    /** A server of MLflow, named by MLflow's environment variables. */
    MLFLOW,
    /** Event files of TensorBoard in the run's folder. */
    TENSORBOARD;

    /** Reads an option's value. */
    public static final class Converter extends EnumOption<Tracker> {
        public Converter() {
            super(Tracker.class);
        }
    }
}
