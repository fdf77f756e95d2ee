package dev.prpf.par.prompt;

import dev.prpf.par.response.ResponseGrammar;
import java.util.List;
import java.util.stream.Stream;

/** The field markers of prompts; each is one token of our own tokenizers. */
public final class PromptTags {
    static final String PROFILE = "profile";
    static final String PHONE = "phone";
    static final String WORLD = "world";
    static final String STEP = "step";
    static final String SCREEN = "screen";
    static final String SCENES = "predicted_scenes";
    static final String FUNCTIONS = "available_functions";
    /** One function of a brief pool. */
    static final String FUNCTION = "function";

    private PromptTags() {}

    /** Returns all opening and closing markers. */
    public static List<String> all() {
        return Stream.of(PROFILE, PHONE, WORLD, STEP, SCREEN, SCENES, FUNCTIONS, FUNCTION)
                .flatMap(tag -> Stream.of(ResponseGrammar.open(tag), ResponseGrammar.close(tag)))
                .toList();
    }
}
