package dev.prpf.par.serve.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.openai.DrawnImages;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.serve.cascade.CascadeWorld.Served;
import dev.prpf.par.serve.generation.GenerationService;
import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.policy.InterventionPolicy;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.vision.PixelEncoder;
import dev.prpf.par.vision.PromptImageReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sample's images reach a reasoner with images in its prompts. */
class SeeingRecommendTest {
    private static final String PATH = "/v1/recommend";

    @TempDir
    private Path folder;

    private static ObjectNode moment(String... images) {
        ObjectNode body = CascadeWorld.moment("爱吃辣", "打开地图").put("threshold", 0);
        for (String image : images) {
            body.withArray("trace").addObject().put("source", "picture").put("picture", image);
        }
        return body;
    }

    private String image(int width, int height, int seed) throws IOException {
        Path file = DrawnImages.draw(folder.resolve("p.png"), width, height, seed);
        return "data:image/png;base64," + Base64.getEncoder().encodeToString(Files.readAllBytes(file));
    }

    /** A decoder that sees, with random weights. */
    private CausalLm decoder() throws IOException {
        int vocabulary = SmallTokenizer.write(folder, "<|vision_start|>", Piece.IMAGE_PAD, "<|vision_end|>");
        try (DecoderWeights weights =
                ModelInit.random(TinyModels.seeing(vocabulary, 768, false), new ModelInit.Scale(0.3, 0), 3)) {
            HuggingFaceDirectory.write(folder, weights, null);
            return CausalLm.of(weights, Precision.FP32);
        }
    }

    private PromptedModel policy() {
        try (Tokenizer tokenizer = Tokenizer.load(folder)) {
            PromptProvenance.of(
                            Prompts.brief().with(ScreenshotForm.PIXELS, null), ChatTemplates.CHATML, tokenizer.sha256())
                    .write(folder);
        }
        return PromptedModel.open(folder);
    }

    @Test
    void theReasonerSeesTheMomentsImages() throws IOException {
        try (CausalLm decoder = decoder();
                PromptedModel policy = policy();
                PerceiverService perceiver = CascadeWorld.service(CascadeWorld.perceiver(null));
                GenerationService generations = new GenerationService(
                        decoder, new ServiceSettings(1, 768, 256, 1, 3, 60), new ServerMetrics(), "tiny")) {
            PixelEncoder encoder = new PixelEncoder(decoder.config().hiddenSize());
            int pad = Math.toIntExact(policy.tokenizer().controlToken(Piece.IMAGE_PAD));
            PromptImageReader reader = new PromptImageReader(encoder, pad, new ImageFolder(null), 0);
            PromptedModel seeing = new PromptedModel(
                    policy.directory(), policy.provenance(), policy.chat().seeing(reader), policy.sight());
            ServedReasoner reasoner =
                    new LocalServedReasoner(seeing, generations, Prompts.CATALOG, perceiver, CascadeWorld.SETTINGS);
            try (Served served = CascadeWorld.serve(perceiver, reasoner, InterventionPolicy.none(), ApiKeys.NONE)) {
                JsonNode seen = served.ask(PATH, moment(image(64, 32, 1), image(32, 32, 2)));
                assertThat(seen.at("/cost/visual_tokens").intValue()).isEqualTo(8 + 4);
                assertThat(encoder.seen()).hasValue(2);
                ObjectNode tooLong = moment(image(32, 32, 3)).put("profile", "长".repeat(900));
                assertThat(served.post(PATH, tooLong.toString()).body()).contains("context_length_exceeded");
                assertThat(encoder.seen())
                        .as("it is refused before it is looked at")
                        .hasValue(2);
                JsonNode text = served.ask(PATH, moment());
                assertThat(text.at("/cost/visual_tokens").intValue()).isZero();
                assertThat(encoder.seen()).hasValue(2);
                assertThat(seen.at("/cost/prompt_tokens").intValue())
                        .isGreaterThan(text.at("/cost/prompt_tokens").intValue() + 12);
            }
        }
    }
}
