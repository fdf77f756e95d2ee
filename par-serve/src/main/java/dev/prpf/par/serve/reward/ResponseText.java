package dev.prpf.par.serve.reward;

import dev.prpf.par.serve.http.ApiException;
import java.util.List;
import java.util.regex.Pattern;

/** A policy's response in what a trainer sends, without control tokens. */
final class ResponseText {
    private static final String ASSISTANT = "<|im_start|>assistant\n";
    /** Tokens that no response may hold, wherever they stand. */
    private static final Pattern CONTROL = Pattern.compile("<[|｜][^<>|｜\\s]{1,40}[|｜]>");
    /** Other models' tokens, which are text anywhere but at the end. */
    private static final List<String> ENDS = List.of("</s>", "<eos>", "<pad>", "<end_of_turn>");

    /** Characters of a beginning-of-text token that may stand before the prompt. */
    private static final int LONGEST_BEGINNING = 32;

    private ResponseText() {}

    /** The response without control tokens, as a tokenizer decodes it that skips special tokens. */
    static String withoutControl(String response) {
        String text = CONTROL.matcher(response).replaceAll("").stripTrailing();
        int end = text.length();
        for (int before = end + 1; end < before; ) {
            before = end;
            for (String token : ENDS) {
                end -= text.startsWith(token, end - token.length()) ? token.length() : 0;
            }
        }
        return text.substring(0, end);
    }

    /**
     * The response in a whole conversation: what stands behind the prompt, else behind the last assistant's turn begins.
     *
     * @param query prompt and response with all their tokens
     * @param prompt empty where it is not known
     * @param path of the query, for the message
     * @throws ApiException 400 if neither can be found
     */
    static String behindPrompt(String query, String prompt, String path) {
        for (int at = 0; !prompt.isEmpty() && at <= LONGEST_BEGINNING; at++) {
            if (query.startsWith(prompt, at)) {
                return withoutControl(query.substring(at + prompt.length()));
            }
        }
        int turn = query.lastIndexOf(ASSISTANT);
        if (turn >= 0) {
            return withoutControl(query.substring(turn + ASSISTANT.length()));
        }
        throw ApiException.invalid(
                path,
                path + " holds neither its prompt nor \"<|im_start|>assistant\\n\", so that where the response begins"
                        + " is not known");
    }
}
