package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.tokenizer.Tokenizer;
import io.javalin.http.Context;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handles vLLM's {@code POST /tokenize} and {@code POST /detokenize}. */
record TokenizeHandler(ServedModel model, TokenTexts texts, HttpSettings limits) {
    private record Tokens(
            int count,
            int maxModelLen,
            List<Long> tokens,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<String> tokenStrs) {}

    private record Text(String prompt) {}

    /** Tokenizes a {@code prompt}, or {@code messages} in the model's template. */
    void tokenize(Context context, RequestFields body, Runnable read) {
        Tokens tokens = ApiServer.read(context, () -> tokens(body));
        read.run();
        ApiServer.answer(context, 200, tokens);
    }

    private Tokens tokens(RequestFields body) {
        model.requireNamed(body.text("model"));
        body.refuse("chat_template", ": the model has its own");
        String prompt = body.text("prompt");
        boolean special = body.flag("add_special_tokens", prompt != null);
        boolean names = body.flag("return_token_strs", false);
        if ((prompt == null) == (body.json("messages") == null)) {
            throw ApiException.invalid("prompt", "one of prompt and messages must be given");
        }
        if (prompt != null) {
            GenerationFields.requireShort(model, prompt.length(), "prompt");
        }
        Tokenizer tokenizer = model.chat().tokenizer();
        long[] ids = prompt == null
                ? ChatCompletionRequest.prompt(body, model, ChatCompletionRequest.tools(body, model), limits)
                        .ids()
                : special ? tokenizer.encodeFirst(prompt) : tokenizer.encodePlain(prompt);
        List<Long> tokens = Arrays.stream(ids).boxed().toList();
        List<String> written = names ? Arrays.stream(ids).mapToObj(texts::text).toList() : null;
        return new Tokens(ids.length, model.service().positions(), tokens, written);
    }

    /** Decodes the field {@code tokens}, with special tokens, as in vLLM. */
    void detokenize(Context context, RequestFields body, Runnable read) {
        model.requireNamed(body.text("model"));
        body.required("tokens");
        long[] ids = GenerationFields.ids(body, "tokens", model.service().vocabularySize()).stream()
                .mapToLong(Integer::longValue)
                .toArray();
        read.run();
        Text text =
                ApiServer.read(context, () -> new Text(model.chat().tokenizer().decode(ids)));
        ApiServer.answer(context, 200, text);
    }
}
