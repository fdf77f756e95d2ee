package dev.prpf.par.serve.cascade;

/**
 * Who waits for the perceiver.
 *
 * @param caller whose turn it takes
 * @param waiting is run now and then while it waits; throws where nobody does any more, which calls the work off
 */
record Client(String caller, Runnable waiting) {
    /** The server itself. */
    static final Client SERVER = new Client("", () -> {});
}
