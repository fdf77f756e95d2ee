package dev.prpf.par.command;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptRenderer.PromptTags;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.tokenizer.BpeTraining;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary.ControlToken;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.tokenizer.TokenizerFiles;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import dev.prpf.par.vision.VisionInit;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The model created by {@code reasoner init}.
 *
 * @param shape of the text decoder
 * @param vision configuration of a vision-language model; null for a text model
 */
record InitialModel(
        BpeTraining.Settings tokenizer,
        int valueCount,
        ParInitConfig.Shape shape,
        @Nullable ParInitVisionConfig vision,
        long seed) {
    private static final String END_OF_TEXT = "<|endoftext|>";
    private static final String PADDING = "<pad>";
    private static final String VISION_START = "<|vision_start|>";
    private static final String VISION_END = "<|vision_end|>";
    private static final String IMAGE = Piece.IMAGE_PAD;
    /** Videos are not supported here, but transformers' processor requires their placeholder. */
    private static final String VIDEO = "<|video_pad|>";

    private static final String PREPROCESSOR = "preprocessor_config.json";
    /** Where transformers' processors look for the template; tokenizers find it in their configuration. */
    private static final String TEMPLATE = "chat_template.jinja";

    static InitialModel of(ParInitConfig config) {
        return new InitialModel(config.tokenizer(), config.valueCount(), config.model(), null, config.seed());
    }

    static InitialModel of(ParInitVisionConfig config) {
        return new InitialModel(config.tokenizer(), config.valueCount(), config.model(), config, config.seed());
    }

    /** Returns the markers of turns and images, which decoders may drop, and field markers and tags, which are part of texts. */
    List<ControlToken> controlTokens() {
        List<ControlToken> tokens = new ArrayList<>();
        List<String> dropped = new ArrayList<>(List.of(END_OF_TEXT, ChatMl.START, ChatMl.END, PADDING));
        if (vision != null) {
            dropped.addAll(List.of(VISION_START, VISION_END, IMAGE, VIDEO));
        }
        dropped.forEach(text -> tokens.add(new ControlToken(text, true)));
        PromptTags.all().forEach(text -> tokens.add(new ControlToken(text, false)));
        ResponseGrammar.tags().forEach(text -> tokens.add(new ControlToken(text, false)));
        return tokens;
    }

    /** Returns the number of values of decoder and vision encoder. */
    long parameterCount(int vocabulary) {
        long decoder = decoder(vocabulary, List.of(), 0).parameterCount();
        VisionTokens tokens = new VisionTokens(0, 0, 0, 0);
        return vision == null
                ? decoder
                : decoder + vision.vision().config(shape.hiddenSize(), tokens).parameterCount();
    }

    private DecoderConfig decoder(int vocabulary, List<Integer> end, int padding) {
        return vision == null ? shape.decoder(vocabulary, end, padding) : vision.decoder(vocabulary, end, padding);
    }

    void write(BpeVocabulary vocabulary, Path directory) throws IOException {
        TokenizerFiles.write(
                directory,
                vocabulary,
                vision == null ? ChatMl.TEMPLATE : ChatMl.IMAGE_TEMPLATE,
                ChatMl.END,
                PADDING,
                shape.maxPositions());
        try (Tokenizer ids = Tokenizer.load(directory)) {
            List<Integer> end = List.of(id(ids, ChatMl.END), id(ids, END_OF_TEXT));
            DecoderConfig decoder = decoder(vocabulary.size(), end, id(ids, PADDING));
            ModelInit.Scale scale = shape.scale();
            try (DecoderWeights weights = ModelInit.random(decoder, scale, seed)) {
                if (vision == null) {
                    HuggingFaceDirectory.write(directory, weights, null);
                } else {
                    writeSeeing(directory, weights, ids, vision.vision());
                }
            }
        }
    }

    private void writeSeeing(Path directory, DecoderWeights weights, Tokenizer ids, ParInitVisionConfig.Tower tower)
            throws IOException {
        VisionTokens tokens =
                new VisionTokens(id(ids, IMAGE), id(ids, VIDEO), id(ids, VISION_START), id(ids, VISION_END));
        VisionConfig config = tower.config(shape.hiddenSize(), tokens);
        try (VisionWeights vision = VisionInit.random(config, shape.initializerRange(), seed)) {
            HuggingFaceDirectory.write(directory, weights, vision, null);
        }
        AtomicFiles.writeText(directory.resolve(TEMPLATE), ChatMl.IMAGE_TEMPLATE);
        AtomicFiles.writeText(
                directory.resolve(PREPROCESSOR), tower.preprocessing().json().toPrettyString() + "\n");
    }

    private static int id(Tokenizer tokenizer, String token) {
        return Math.toIntExact(tokenizer.controlToken(token));
    }
}
