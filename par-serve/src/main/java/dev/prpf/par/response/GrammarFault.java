package dev.prpf.par.response;

/** The first violation of the grammar in a response; becomes a {@link ParResponse.Malformed}. */
final class GrammarFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final int where;

    /** @param where offset in the response, in characters */
    GrammarFault(int where, String why) {
        super(why, null, false, false);
        this.where = where;
    }

    ParResponse.Malformed malformed() {
        return new ParResponse.Malformed(where, String.valueOf(getMessage()));
    }
}
