package dev.prpf.par.cascade;

import dev.prpf.base.config.Rule;
import dev.prpf.par.openai.SamplingSettings;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptWording;

/**
 * The settings that decide a remote reasoner's answers; the {@code reasoner:} section of its configuration.
 *
 * @param model its name in the server's /v1/models
 * @param sampling how answers are drawn
 * @param structuredOutput the form that the server must keep its answers to
 * @param prompt how prompts are written; {@code wording: full}, since the model was not trained on ours
 */
public record RemoteSettings(
        String model, SamplingSettings sampling, StructuredOutput structuredOutput, PromptSettings prompt) {
    /** What of the protocol's {@code response_format} is used. */
    public enum StructuredOutput {
        /** Nothing: the answer is the response's text, as the prompt asks for it. */
        NONE,
        /** {@code json_schema} (vLLM, SGLang, llama.cpp): the response as a JSON object that can only call the candidates. */
        JSON_SCHEMA,
        /** {@code json_object} with a {@code schema} (llama-cpp-python). */
        JSON_OBJECT
    }

    public RemoteSettings {
        Rule.require(!model.isBlank(), "model", "\"" + model + "\"", "the model's name in the server's /v1/models");
        if (structuredOutput != StructuredOutput.NONE && prompt.wording() != PromptWording.FULL) {
            throw new IllegalArgumentException(
                    "structured-output needs prompt.wording: full, whose instructions it changes");
        }
    }
}
