package dev.prpf.par.sets;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Modality;
import dev.prpf.data.TraceStep;
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
 * A supervised pair as text, a line of an SFT set: what {@code data sft} writes and {@code par sft --examples} reads.
 *
 * @param id of the sample; several records may have one where all valid answers are targets
 * @param intervention whether the target acts
 * @param modality {@code text} or {@code multimodal}
 * @param prompt how prompts are written
 * @param wording SHA-256 of probes written so by the program that made the set
 * @param teacher who wrote the reasoning; null where there is none
 * @param functions names of the functions that the prompt shows, in its order
 * @param system the system message, or null
 * @param user the user turn, in pieces that keep the template's text and the record's apart
 * @param response the response's pieces
 * @param images paths of the screenshots that the prompt shows, in order; where it shows pictures, the user turn has a picture for each
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
        int pictures = Piece.pictures(user);
        if (pictures != (prompt.screenshots().pictured() ? images.size() : 0)) {
            throw new IllegalArgumentException("user has a place for " + pictures + " pictures, images names "
                    + images.size() + ", and prompt.screenshots is " + EnumName.of(prompt.screenshots()));
        }
        if (ResponseParser.parse(Piece.text(response)) instanceof ParResponse.Malformed malformed) {
            throw new IllegalArgumentException(
                    "response is malformed at character " + malformed.where() + ": " + malformed.why());
        }
    }

    /** The target's calls; none is silence. */
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
     * The functions that the prompt shows.
     *
     * @param source where the record came from, for the message
     * @throws PrpfException 65 for one that the pool does not have
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

    /** Whether it holds text that other trainers would take for a control token and is written otherwise for them. */
    public boolean rewrittenForOthers() {
        return Stream.of(user, response).anyMatch(pieces -> !Piece.text(pieces).equals(Piece.textForOthers(pieces)));
    }

    /**
     * The identity of this program's wording of prompts with these settings. A set's prompts are messages, which the chat template of whatever
     * model reads them wraps; here it is always the same.
     */
    public static String wordingOf(PromptSettings prompt) {
        return PromptProvenance.of(prompt, ChatTemplates.CHATML, "").promptHash();
    }
}
