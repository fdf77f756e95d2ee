package dev.prpf.par.openai;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.http.BusyException;
import java.util.regex.Pattern;

/**
 * What a server was asked, and whether its refusal is one of pictures.
 *
 * @param name how messages name it
 * @param pictures that the request holds
 */
record Asked(String name, int pictures) {
    private static final int CLIENT_ERROR = 4;
    private static final int SERVER_ERROR = 500;

    /**
     * How servers say that their model does not see, in lower case: vLLM 0.11 (with a text model, and with no picture allowed), SGLang 0.5.23 (the same),
     * llama.cpp, whose status is 500, this program, OpenAI, others, and those that know no content but text.
     */
    private static final Pattern BLIND = Pattern.compile("not a multimodal model|at most 0 image"
            + "|only supports text input|multimodal inputs are not supported|image input is not supported"
            + "|takes no pictures|image_url is only supported by|does not support (image|vision)|support image input"
            + "|unknown variant [`'\\\\\"]*image_url");

    /** How vLLM and SGLang say it of more pictures than they were started for. */
    private static final Pattern TOO_MANY = Pattern.compile("at most \\d+ image|image count \\d+ exceeds limit");

    /**
     * Refuses a server whose model does not see, or sees fewer pictures: no further attempt would help.
     *
     * @param at where it was said, for the message
     * @throws PrpfException 78, naming the setting
     */
    void requireSight(String at, int status, byte[] body) {
        boolean refused = status == SERVER_ERROR || (status / 100 == CLIENT_ERROR && !BusyException.isBusy(status));
        if (pictures == 0 || !refused) {
            return;
        }
        if (ChatErrors.says(BLIND, body)) {
            throw new InvalidConfigurationException(at + "; its model takes no pictures, and the request holds "
                    + pictures + ": set screenshots to ocr (in judge: to null), or ask a server whose model sees"
                    + " (llama-server: with --mmproj)");
        }
        if (ChatErrors.says(TOO_MANY, body)) {
            throw new InvalidConfigurationException(at + "; the request holds " + pictures
                    + " pictures: set max-screenshots lower, or start the server for more (vLLM:"
                    + " --limit-mm-per-prompt, SGLang: --limit-mm-data-per-request)");
        }
    }

    /** What else to look at where a request with pictures is refused in other words; empty without pictures. */
    String hint() {
        return pictures == 0
                ? ""
                : ", and it holds " + pictures + " pictures: if the server's model does not see them, or takes fewer or"
                        + " smaller ones, change screenshots, max-screenshots or max-visual-tokens";
    }
}
