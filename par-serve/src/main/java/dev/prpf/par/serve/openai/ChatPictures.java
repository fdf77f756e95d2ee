package dev.prpf.par.serve.openai;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.TraceStep;
import dev.prpf.par.chat.ChatMessage.Role;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.PictureBounds;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.vision.VisualPrompt;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The pictures of one chat, collected as its messages are read. */
final class ChatPictures {
    private static final String MESSAGES = "messages";
    private static final String OWNER = ""; // a picture of a request belongs to no sample

    private final ServedModel model;
    private final PictureBounds bounds;
    private final List<TraceStep.Screenshot> shown = new ArrayList<>();

    ChatPictures(ServedModel model, PictureBounds bounds) {
        this.model = model;
        this.bounds = bounds;
    }

    /**
     * A part {@code {"type": "image_url", "image_url": {"url": "data:image/png;base64,…"}}}.
     *
     * @return its place in the message
     * @throws ApiException 400 for a model that does not see, a role that shows nothing, or what is no data URL of a picture; 413 for a
     *     picture that is too large or one too many
     */
    Piece add(RequestFields part, Role role) {
        String place = part.path("image_url");
        if (!model.sees()) {
            throw ApiException.invalid(place, place + ": " + model.blindness());
        }
        if (role != Role.USER) {
            throw ApiException.invalid(place, place + ": only a user shows pictures, this is a " + role.text());
        }
        String url = url(part);
        bounds.requireFew(MESSAGES, shown.size() + 1);
        bounds.require(place, url);
        shown.add(new TraceStep.Screenshot(url));
        return Piece.PICTURE;
    }

    /** OpenAI's object, or the text alone, as some clients write it. */
    private static String url(RequestFields part) {
        if (part.required("image_url").isTextual()) {
            return part.requiredText("image_url");
        }
        RequestFields given = Objects.requireNonNull(part.object("image_url"));
        given.json("detail");
        return given.requiredText("url");
    }

    /**
     * The prompt with a placeholder for each of a picture's tokens; nothing is decoded yet.
     *
     * @param ids one placeholder a picture
     * @throws ApiException 400 for a picture that cannot be shown
     */
    VisualPrompt prompt(long[] ids) {
        try {
            return model.chat().pictures().prompt(ids, shown, OWNER);
        } catch (InvalidDataException e) {
            throw ApiException.invalid(MESSAGES, String.valueOf(e.getMessage()));
        }
    }
}
