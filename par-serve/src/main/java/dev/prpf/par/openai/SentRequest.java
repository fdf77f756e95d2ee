package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.http.BusyException;
import java.util.regex.Pattern;

/**
 * A request sent to a server; recognises errors about its images.
 *
 * @param name in messages
 */
record SentRequest(String name, int images) {
    private static final int CLIENT_ERROR = 4;
    private static final int SERVER_ERROR = 500;

    /**
     * Error texts for a model without vision, in lower case: of vLLM 0.11, SGLang 0.5.23, llama.cpp (with status 500), this program and
     * others.
     */
    private static final Pattern NO_VISION = Pattern.compile("not a multimodal model|at most 0 image"
            + "|only supports text input|multimodal inputs are not supported|image input is not supported"
            + "|takes no images|image_url is only supported by|does not support (image|vision)|support image input"
            + "|unknown variant [`'\\\\\"]*image_url");

    /** Error texts of vLLM and SGLang for more images than they were configured for. */
    private static final Pattern TOO_MANY_IMAGES = Pattern.compile("at most \\d+ image|image count \\d+ exceeds limit");

    /**
     * Fails if the model has no vision or accepts fewer images; a retry would not help.
     *
     * @param at server, status and error text, for the message
     * @throws PrpfException 78, naming the setting
     */
    void requireImagesAccepted(String at, int status, byte[] body) {
        boolean refused = status == SERVER_ERROR || (status / 100 == CLIENT_ERROR && !BusyException.isBusy(status));
        if (images == 0 || !refused) {
            return;
        }
        if (ChatErrors.matches(NO_VISION, body)) {
            throw new InvalidConfigurationException(at + "; its model takes no images, and the request holds " + images
                    + ": set screenshots to ocr (judge: null), or use a vision-language model (llama-server: with"
                    + " --mmproj)");
        }
        if (ChatErrors.matches(TOO_MANY_IMAGES, body)) {
            throw new InvalidConfigurationException(at + "; the request holds " + images
                    + " images: set max-screenshots lower, or start the server for more (vLLM:"
                    + " --limit-mm-per-prompt, SGLang: --limit-mm-data-per-request)");
        }
    }

    /** Returns a hint for other errors on requests with images; empty without images. */
    String hint() {
        return images == 0
                ? ""
                : ", and it holds " + images + " images: if the server's model has no vision, or takes fewer or"
                        + " smaller images, change screenshots, max-screenshots or max-visual-tokens";
    }
}
