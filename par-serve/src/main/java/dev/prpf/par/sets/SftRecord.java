package dev.prpf.par.sets;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A supervised pair as text, a line of an SFT set. {@code data sft-set} writes it and {@code reasoner sft --examples} reads it.
 *
 * @param id of the sample; not unique if all valid answers are targets
 * @param intervention whether the target acts
 * @param modality {@code text} or {@code multimodal}
 * @param prompt format of the prompts
 * @param wording SHA-256 of probes in this format by the program that made the set
 * @param teacher author of the reasoning; null without reasoning
 * @param functions names of the functions in the prompt, in order
 * @param system the system message, or null
 * @param user the user turn, with separate pieces for text of the template and of the record
 * @param response the response's pieces
 * @param images paths of the prompt's screenshots, in order; a prompt with images has a placeholder for each
 */
public record SftRecord(
        String id,
        boolean intervention,
        String modality,
        PromptSettings prompt,
        String wording,
        @Nullable String teacher,
        List<String> functions,
        @Nullable String system,
        List<Piece> user,
        List<Piece> response,
        List<String> images) {
    public SftRecord {
        functions = List.copyOf(functions);
        user = List.copyOf(user);
        response = List.copyOf(response);
        images = List.copyOf(images);
        if (id.isBlank()) {
            throw new IllegalArgumentException("id is blank");
        }
        if (user.isEmpty()) {
            throw new IllegalArgumentException("user is empty");
        }
        int placeholders = Piece.images(user);
        if (placeholders != (prompt.screenshots().showsImages() ? images.size() : 0)) {
            throw new IllegalArgumentException("user has placeholders for " + placeholders + " images, images names "
                    + images.size() + ", and prompt.screenshots is " + EnumName.of(prompt.screenshots()));
        }
        if (ResponseParser.parse(Piece.text(response)) instanceof ParResponse.Malformed malformed) {
            throw new IllegalArgumentException(
                    "response is malformed at character " + malformed.where() + ": " + malformed.why());
        }
    }

    /** Returns the target's calls, which are empty for silence. */
    public List<FunctionCall> calls() {
        return ((ParResponse.Parsed) ResponseParser.parse(Piece.text(response))).calls();
    }

    List<TraceStep.Screenshot> screenshots() {
        return images.stream().map(TraceStep.Screenshot::new).toList();
    }

    ResponseForm form() {
        return ResponseForm.of(prompt.reasoning(), Modality.valueOf(modality.toUpperCase(Locale.ROOT)));
    }

    /**
     * Returns the functions in the prompt.
     *
     * @param source source of the record, for the message
     * @throws PrpfException 65 for a function that the pool lacks
     */
    public List<FunctionSpec> functions(FunctionPool pool, String source) {
        List<FunctionSpec> found = new ArrayList<>();
        for (String name : functions) {
            FunctionSpec function = pool.get(name);
            if (function == null) {
                throw new InvalidDataException(source + ": record " + id + ": its prompt shows " + name
                        + ", which the pool does not have; give the set's pool with --pool");
            }
            found.add(function);
        }
        return found;
    }

    /** Returns whether the text has control tokens that must be rewritten for other trainers. */
    public boolean rewrittenForOthers() {
        return Stream.of(user, response).anyMatch(pieces -> !Piece.text(pieces).equals(Piece.textForOthers(pieces)));
    }

    /**
     * Returns a hash of this program's wording of prompts with these settings. A set's prompts are messages without a chat template, so the
     * hash always uses the same one.
     */
    public static String wordingOf(PromptSettings prompt) {
        return PromptProvenance.of(prompt, ChatTemplates.CHATML, "").promptHash();
    }
}
