package dev.prpf.par.serve.openai;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.chat.ChatMessage.Role;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.vision.VisualPrompt;
import java.util.ArrayList;
import java.util.List;

/** The images of one chat, collected while its messages are read. */
final class ChatImages {
    private static final String MESSAGES = "messages";
    private static final String OWNER = ""; // an image of a request belongs to no sample

    private final ServedModel model;
    private final HttpSettings limits;
    private final List<TraceStep.Screenshot> shown = new ArrayList<>();

    ChatImages(ServedModel model, HttpSettings limits) {
        this.model = model;
        this.limits = limits;
    }

    /**
     * Adds an image from a part {@code {"type": "image_url", "image_url": {"url": "data:image/png;base64,…"}}}.
     *
     * @return its placeholder in the message
     * @throws ApiException 400 for a model without vision, a role other than the user, or an invalid data URL; 413 for too large or too many
     *     images
     */
    Piece add(RequestFields part, Role role) {
        String place = part.path("image_url");
        if (!model.sees()) {
            throw ApiException.invalid(place, place + ": " + model.noImagesMessage());
        }
        if (role != Role.USER) {
            throw ApiException.invalid(place, place + ": only a user shows images, this is a " + role.text());
        }
        String url = url(part);
        limits.requireFewImages(MESSAGES, shown.size() + 1);
        limits.requireImage(place, url);
        shown.add(new TraceStep.Screenshot(url));
        return Piece.IMAGE;
    }

    /** Reads OpenAI's object, or only the URL as text, as some clients send it. */
    private static String url(RequestFields part) {
        if (part.required("image_url").isTextual()) {
            return part.requiredText("image_url");
        }
        RequestFields given = part.requiredObject("image_url");
        given.json("detail");
        return given.requiredText("url");
    }

    /**
     * Returns the prompt with a placeholder for each of an image's tokens; decodes nothing yet.
     *
     * @param ids one placeholder per image
     * @throws ApiException 400 for an image that cannot be shown
     */
    VisualPrompt prompt(long[] ids) {
        try {
            return model.chat().images().prompt(ids, shown, OWNER);
        } catch (InvalidDataException e) {
            throw ApiException.invalid(MESSAGES, String.valueOf(e.getMessage()));
        }
    }
}
