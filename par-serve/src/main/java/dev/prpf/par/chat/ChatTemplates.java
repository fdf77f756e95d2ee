package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Piece.PieceList;
import dev.prpf.par.tokenizer.TokenizerFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The known templates, found by the SHA-256 of their Jinja text. */
public final class ChatTemplates {
    private static final String FILE = "chat_template.jinja";
    private static final String KEY = "chat_template";
    private static final String DEFAULT = "default";
    private static final int HASH_SHOWN = 12;

    /** The template of models made here, and of models without their own. */
    public static final ChatTemplate CHATML = ChatTemplate.turns("prpf", null);

    private static final List<Known> KNOWN = List.of(
            new Known(
                    "55b2f4a26ac9ee719330a61a0c39d9e538b0e9322212f048326318cff4f8674a",
                    new Qwen25Template().named("qwen2.5", false)),
            new Known(
                    "a0bc6f6fc7a29a80017a433e8f03a1cc1236e838a944a2d034295a60c4f2fddb",
                    ChatTemplate.turns("qwen2.5-vl", "You are a helpful assistant.", Qwen25VlContent::of)),
            new Known(
                    "a55ee1b1660128b7098723e0abcd92caa0788061051c62d51cbe87d9cf1974d8",
                    new Qwen3Template(false).named("qwen3", true)),
            new Known(
                    "87a2728cb8dc9fe424d624542f6060ec05a1d285ebbec578bb078900e33396b5",
                    new Qwen3Template(true).named("qwen3-hub", true)),
            new Known(
                    "a4aee8afcf2e0711942cf848899be66016f8d14a889ff9ede07bca099c28f715",
                    new Qwen35Template(true).named("qwen3.5-thinking", true)),
            new Known(
                    "273d8e0e683b885071fb17e08d71e5f2a5ddfb5309756181681de4f5a1822d80",
                    new Qwen35Template(false).named("qwen3.5", true)),
            new Known(
                    "872be49dbb638044ad01b60388f48d469ff2980e5f0dccdc22ec907db54d0788",
                    ChatTemplate.turns(
                            "smollm2", "You are a helpful AI assistant named SmolLM, trained by Hugging Face")),
            new Known(hash(ChatMl.TEMPLATE), CHATML),
            new Known(hash(ChatMl.IMAGE_TEMPLATE), CHATML));

    private ChatTemplates() {}

    private record Known(String hash, ChatTemplate template) {}

    /**
     * Returns the template of a Jinja file.
     *
     * @throws PrpfException 65 if it cannot be read or is unknown
     */
    public static ChatTemplate ofFile(Path file) {
        return of(text(file), file.toString());
    }

    /**
     * Returns the template of a model: {@code chat_template.jinja}, else {@code chat_template} of {@code tokenizer_config.json}. Of several, returns
     * the one named "default".
     *
     * @throws PrpfException 69 if the directory has neither, 65 if the template is unknown
     */
    public static ChatTemplate ofModel(Path directory) {
        Path file = directory.resolve(FILE);
        if (Files.isRegularFile(file)) {
            return ofFile(file);
        }
        Path config = directory.resolve(TokenizerFiles.CONFIG);
        if (!Files.isRegularFile(config)) {
            throw new UnavailableException(directory + ": there is neither " + FILE + " nor " + TokenizerFiles.CONFIG
                    + " here, so the model's chat template is not known");
        }
        JsonNode template = JsonFile.read(config).path(KEY);
        return of(
                template.isArray() ? named(template, config) : string(template, config + ": " + KEY),
                config + ": " + KEY);
    }

    /**
     * Returns the template of a reasoner's prompts: the model's own, or {@link #CHATML} without one.
     *
     * @throws PrpfException 65 if the template is unknown
     */
    public static ChatTemplate ofReasoner(Path directory) {
        return isIn(directory) ? ofModel(directory) : CHATML;
    }

    /** Writes {@link #CHATML} into a model's directory without a template, so that other programs render the same prompts. */
    public static void complete(Path directory) {
        if (!isIn(directory)) {
            AtomicFiles.writeText(directory.resolve(FILE), ChatMl.TEMPLATE);
        }
    }

    /** Returns whether a model's directory has a chat template, known or not. */
    public static boolean isIn(Path directory) {
        Path config = directory.resolve(TokenizerFiles.CONFIG);
        return Files.isRegularFile(directory.resolve(FILE))
                || (Files.isRegularFile(config) && JsonFile.read(config).hasNonNull(KEY));
    }

    private static String named(JsonNode templates, Path config) {
        List<String> names = new ArrayList<>();
        for (JsonNode template : templates) {
            String name = template.path("name").asText();
            if (name.equals(DEFAULT)) {
                return string(template.path("template"), config + ": " + KEY + " \"" + DEFAULT + "\"");
            }
            names.add(name);
        }
        throw new InvalidDataException(
                config + ": " + KEY + " names the templates " + names + ", one must be \"" + DEFAULT + "\"");
    }

    private static String string(JsonNode template, String place) {
        if (!template.isTextual()) {
            throw new InvalidDataException(place + ": is " + (template.isMissingNode() ? "missing" : template)
                    + ", must be a template's text");
        }
        return template.asText();
    }

    /** Returns the template of a Jinja text from {@code place}; throws 65 if it is unknown. */
    static ChatTemplate of(String source, String place) {
        String hash = hash(source);
        return KNOWN.stream()
                .filter(known -> known.hash().equals(hash))
                .findFirst()
                .map(Known::template)
                .orElseThrow(() -> new InvalidDataException(place + ": this chat template is not known, its sha256 = "
                        + hash + "; templates are not interpreted, those written here are: "
                        + KNOWN.stream()
                                .map(known -> known.template().name() + " "
                                        + known.hash().substring(0, HASH_SHOWN))
                                .collect(Collectors.joining(", "))
                        + "; give the model's original template, unchanged; a model that is trained here may have"
                        + " ours in its place (docs/TEMPLATES.md)"));
    }

    /** Hashes the text as Jinja reads it: line ends are one character, and one at the end is dropped. */
    private static String hash(String source) {
        String lines = source.replace("\r\n", "\n").replace('\r', '\n');
        String kept = lines.endsWith("\n") ? lines.substring(0, lines.length() - 1) : lines;
        return AtomicFiles.sha256(kept.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read as a template: " + IoFailure.reason(e), e);
        }
    }

    /** The markup of Qwen, SmolLM2 and the models made here: a turn is its role and text between two control tokens. */
    public static final class ChatMl {
        public static final String START = "<|im_start|>";
        public static final String END = "<|im_end|>";

        /** {@link ChatTemplates#CHATML} as Jinja, for the {@code chat_template} of a tokenizer_config.json; without a default system message. */
        public static final String TEMPLATE =
                "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
                        + "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

        /** {@link #TEMPLATE} for messages that may be lists of parts, {@code text} and {@code image}; an image is written as by Qwen's models. */
        public static final String IMAGE_TEMPLATE =
                "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}"
                        + "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
                        + "{% for part in message['content'] %}{% if part['type'] == 'image' %}"
                        + "{{ '" + Piece.IMAGE.text()
                        + "' }}{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}"
                        + "{{ '<|im_end|>' + '\\n' }}{% endfor %}"
                        + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

        private ChatMl() {}
    }

    /** Renders a message's content like Qwen2.5-VL's template: text, or a list of texts, images and videos. */
    static final class Qwen25VlContent {
        private static final String VIDEO = "<|vision_start|><|video_pad|><|vision_end|>";

        private Qwen25VlContent() {}

        /** @throws PrpfException 65 for content that the template cannot write, or would silently drop */
        static MarkedText of(ChatMessage message) {
            JsonNode content = message.content();
            if (content.isTextual()) {
                return message.marked();
            }
            PieceList out = new PieceList();
            if (!content.isArray() && !content.isMissingNode()) {
                throw refused(message, content);
            }
            content.forEach(part -> part(out, message, part));
            return new MarkedText(out.build());
        }

        private static void part(PieceList out, ChatMessage message, JsonNode part) {
            if (!write(out, part)) {
                throw refused(message, part);
            }
        }

        /** Writes a text, an image or a video as Qwen's templates do; returns false for another part. */
        static boolean write(PieceList out, JsonNode part) {
            if (is(part, "image")) {
                out.image();
            } else if (is(part, "video")) {
                out.control(VIDEO);
            } else if (part.has("text")) {
                out.plain(PythonText.str(part.path("text")));
            } else {
                return false;
            }
            return true;
        }

        /** Returns whether a part is an image or a video. */
        static boolean is(JsonNode part, String kind) {
            return part.has(kind)
                    || part.path("type").asText().equals(kind)
                    || (kind.equals("image") && part.has("image_url"));
        }

        private static PrpfException refused(ChatMessage message, JsonNode value) {
            return new InvalidDataException(
                    message.place() + ": content must be text, or a list of texts, images and videos,"
                            + " for this template, it holds " + PythonText.json(value));
        }
    }
}
