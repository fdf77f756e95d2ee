package dev.prpf.par.cascade;

import dev.prpf.data.ScenarioCatalog;
import dev.prpf.par.model.Decoder;
import dev.prpf.par.model.Generation;
import dev.prpf.par.model.GenerationSettings;
import dev.prpf.par.model.Generator;
import dev.prpf.par.model.HuggingFaceDirectory;
import dev.prpf.par.model.Precision;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A reasoner in this process: prompts as its model was trained on, greedy, in batches of like length. */
public final class LocalReasoner implements Reasoner {
    private static final Logger LOG = LoggerFactory.getLogger(LocalReasoner.class);
    private static final int HASH_SHOWN = 12;

    private final String id;
    private final PromptRenderer renderer;
    private final Tokenizer tokenizer;
    private final Decoder decoder;
    private final Generator generator;
    private final GenerationSettings settings;
    private long overlong;

    private LocalReasoner(
            String id, PromptRenderer renderer, Tokenizer tokenizer, Decoder decoder, GenerationSettings settings) {
        this.id = id;
        this.renderer = renderer;
        this.tokenizer = tokenizer;
        this.decoder = decoder;
        this.generator = new Generator(decoder);
        this.settings = settings;
    }

    /**
     * Loads a trained model.
     *
     * @param model its Hugging Face directory, with prpf.json
     * @param maxNew tokens of a response at most
     * @param batchSize prompts decoded together
     * @throws dev.prpf.data.run.PrpfException 65 or 78 if the prompts it was trained on are not known or not these, 69 if parts are missing
     */
    public static LocalReasoner open(
            Path model, ScenarioCatalog catalog, ScreenTexts screens, int maxNew, int batchSize, Precision precision) {
        PromptProvenance provenance = PromptProvenance.read(model);
        Tokenizer tokenizer = Tokenizer.load(model);
        try {
            provenance.requireSame(
                    PromptProvenance.of(provenance.prompt(), tokenizer.sha256()),
                    model.resolve("tokenizer.json").toString());
            List<Integer> end =
                    HuggingFaceDirectory.open(model).generationDefaults().endTokens();
            return new LocalReasoner(
                    "local:" + model.getFileName() + ":"
                            + provenance.promptHash().substring(0, HASH_SHOWN),
                    new PromptRenderer(provenance.prompt(), catalog, screens),
                    tokenizer,
                    Decoder.load(model, precision),
                    GenerationSettings.greedy(maxNew, end, batchSize));
        } catch (RuntimeException e) {
            tokenizer.close();
            throw e;
        }
    }

    @Override
    public String id() {
        return id;
    }

    /** How many prompts so far were longer than the model's positions; each was answered as malformed. */
    public long overlong() {
        return overlong;
    }

    @Override
    public List<Reasoning> reason(List<Request> requests) {
        Reasoning[] reasonings = new Reasoning[requests.size()];
        List<Integer> fitting = new ArrayList<>();
        List<long[]> prompts = new ArrayList<>();
        int room = decoder.config().maxPositions() - 1;
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            long[] prompt =
                    tokenizer.encode(renderer.chat(request.sample(), request.perception(), request.candidates()));
            if (prompt.length > room) {
                reasonings[i] = tooLong(request, prompt.length, room);
            } else {
                fitting.add(i);
                prompts.add(prompt);
            }
        }
        List<Generation> generations = prompts.isEmpty() ? List.of() : generator.generate(prompts, settings);
        for (int k = 0; k < fitting.size(); k++) {
            int i = fitting.get(k);
            reasonings[i] = reasoning(requests.get(i), prompts.get(k).length, generations.get(k));
        }
        return Collections.unmodifiableList(Arrays.asList(reasonings));
    }

    private Reasoning tooLong(Request request, int length, int room) {
        overlong++;
        String why = "the prompt has " + length + " tokens, the model takes " + room;
        LOG.warn("sample {}: {}; answered as malformed", request.sample().id(), why);
        return new Reasoning("", new ParResponse.Malformed(0, why), length, 0);
    }

    private Reasoning reasoning(Request request, int promptTokens, Generation generation) {
        String text = text(generation);
        ResponseForm form = ResponseForm.of(
                renderer.settings().reasoning(), request.sample().modality());
        return new Reasoning(text, ResponseParser.parse(text, form), promptTokens, generation.ids().length);
    }

    /** What was said, without the end token. */
    private String text(Generation generation) {
        long[] ids = generation.ids();
        return tokenizer.decode(generation.ended() ? Arrays.copyOf(ids, ids.length - 1) : ids);
    }

    @Override
    public void close() {
        decoder.close();
        tokenizer.close();
    }
}
