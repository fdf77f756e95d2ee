package dev.prpf.par.response;

/** The first thing wrong with a response; becomes a {@link ParResponse.Malformed}. */
final class GrammarFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final int where;

    GrammarFault(int where, String why) {
        super(why, null, false, false);
        this.where = where;
    }

    int where() {
        return where;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
