package dev.prpf.data.run;

/** What a command's exit status means (documented in docs/TROUBLESHOOTING.md). */
public enum ExitCode {
    DONE(0),
    BUG(1),
    USAGE(2),
    OUT_OF_MEMORY(3),
    DIVERGED(10),
    GATE_FAILED(11),
    BAD_DATA(65),
    UNAVAILABLE(69),
    CHECKPOINTED(75),
    BAD_CONFIG(78);

    private final int status;

    ExitCode(int status) {
        this.status = status;
    }

    public int status() {
        return status;
    }
}
