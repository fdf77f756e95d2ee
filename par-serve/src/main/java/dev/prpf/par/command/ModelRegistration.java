package dev.prpf.par.command;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.tokenizer.Piece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Checks that a model can read our prompts and end our responses, before its {@code prpf.json} states that it does. */
record ModelRegistration(Path model) {
    /**
     * Returns the content of the model's {@code prpf.json}. A model that cannot read our prompts could not be trained on them either. Throws 65 for
     * such a model and for responses that would not end with the turn, 78 for a model registered for other prompts.
     */
    PromptProvenance provenance(PromptSettings prompt, ChatTokenizer tokenizer) {
        HuggingFaceDirectory directory = HuggingFaceDirectory.open(model);
        requireToken(directory, tokenizer, tokenizer.template().turnStart());
        requireToken(directory, tokenizer, tokenizer.template().turnEnd());
        requireEnd(directory, tokenizer);
        if (prompt.screenshots().showsImages()) {
            requireSight(directory, tokenizer);
        }
        requireFaithful(tokenizer);
        PromptProvenance provenance = PromptProvenance.of(
                prompt, tokenizer.template(), tokenizer.tokenizer().sha256());
        PromptProvenance before = PromptProvenance.find(model);
        if (before != null) {
            provenance.requireSame(before, model.resolve(PromptProvenance.FILE).toString());
            return before;
        }
        return provenance;
    }

    private void requireToken(HuggingFaceDirectory directory, ChatTokenizer tokenizer, String token) {
        long id = tokenizer.tokenizer().controlToken(token);
        int vocabulary = directory.config().vocabularySize();
        if (id >= vocabulary) {
            throw new InvalidDataException(model + ": its tokenizer gives " + token + " the id " + id
                    + ", the model has " + vocabulary
                    + " rows of embeddings; resize them to the tokenizer before it is trained");
        }
    }

    private void requireSight(HuggingFaceDirectory directory, ChatTokenizer tokenizer) {
        int placeholder =
                directory.requiredVision("prompt.screenshots").tokens().image();
        long written = tokenizer.tokenizer().controlToken(Piece.IMAGE_PAD);
        if (written != placeholder) {
            throw new InvalidDataException(model + ": its tokenizer gives " + Piece.IMAGE_PAD + " the id " + written
                    + ", its config.json names image_token_id " + placeholder
                    + "; tokenizer and model must be of one checkpoint");
        }
    }

    private void requireEnd(HuggingFaceDirectory directory, ChatTokenizer tokenizer) {
        long end = tokenizer.endOfTurn();
        List<Integer> ends = directory.generationDefaults().endTokens();
        if (!ends.contains(Math.toIntExact(end))) {
            throw new InvalidDataException(model + ": its responses end at the tokens " + ends + ", ours end at "
                    + tokenizer.template().turnEnd() + " = " + end + "; set \"eos_token_id\": " + end
                    + " in its generation_config.json");
        }
    }

    private void requireFaithful(ChatTokenizer tokenizer) {
        List<Piece> probe = tokenizer
                .template()
                .prompt(
                        "You are a helpful assistant.",
                        List.of(
                                Piece.plain("用户 {\"name\": \"Café\"}\n"),
                                Piece.control(String.join("", ResponseGrammar.tags()))));
        String written = Piece.text(probe);
        String read = tokenizer.tokenizer().decode(tokenizer.tokenizer().encode(probe));
        if (!read.equals(written)) {
            throw new InvalidDataException(
                    model + ": its tokenizer reads " + quoted(written) + " back as " + quoted(read)
                            + ", so prompts and responses would not stay what they are; a tokenizer that keeps every"
                            + " character is needed");
        }
    }

    private static String quoted(String text) {
        return '"' + text.replace("\n", "\\n") + '"';
    }

    /**
     * Creates a folder of links to the model's files and of {@code prpf.json}, atomically. An equal folder is kept. Throws 2 for a folder with other
     * content, 78 for one registered for other prompts.
     */
    void link(Path out, PromptProvenance provenance) {
        IoFailure.whileWriting(out, () -> {
            if (Files.exists(out, LinkOption.NOFOLLOW_LINKS)) {
                requireSame(out, provenance);
                return;
            }
            Path place = out.toAbsolutePath().normalize();
            Path partial = place.resolveSibling("." + place.getFileName() + ".adopting");
            AtomicFiles.deleteTree(partial); // left by a killed process
            Files.createDirectories(partial);
            for (Map.Entry<String, Path> link : links().entrySet()) {
                Files.createSymbolicLink(partial.resolve(link.getKey()), link.getValue());
            }
            provenance.write(partial);
            AtomicFiles.move(partial, place);
        });
    }

    private void requireSame(Path out, PromptProvenance provenance) throws IOException {
        PromptProvenance there = PromptProvenance.find(out);
        if (there == null || !links().equals(linksIn(out))) {
            throw new UsageException("--out " + out + " exists and is no folder of links to the files of " + model
                    + " with " + PromptProvenance.FILE + "; name a new folder");
        }
        provenance.requireSame(there, out.resolve(PromptProvenance.FILE).toString());
    }

    /** Returns the model's files by name, without {@code prpf.json}, which is written. */
    private Map<String, Path> links() throws IOException {
        Map<String, Path> links = new TreeMap<>();
        try (Stream<Path> files = Files.list(model)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                links.put(String.valueOf(file.getFileName()), file.toRealPath());
            }
        }
        links.remove(PromptProvenance.FILE);
        return links;
    }

    private static Map<String, Path> linksIn(Path folder) throws IOException {
        Map<String, Path> links = new TreeMap<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(Files::isSymbolicLink).toList()) {
                    links.put(String.valueOf(file.getFileName()), Files.readSymbolicLink(file));
                }
            }
        }
        return links;
    }
}
