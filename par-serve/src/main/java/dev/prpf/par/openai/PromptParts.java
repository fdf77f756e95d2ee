package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts a prompt's pieces to the parts of a message, with images in place and without control tokens in texts.
 *
 * @param images the folder of the screenshots
 * @param maxVisualTokens maximum of a screenshot, which is scaled down to it; null to send images unscaled
 */
public record PromptParts(ImageFolder images, @Nullable Integer maxVisualTokens) {
    /**
     * Returns the parts in the prompt's order.
     *
     * @param pieces with an image for each of the sample's screenshots, or no image at all
     * @param shown the sample in the form that the prompt shows
     * @throws PrpfException 2 without a folder for the screenshots, 65 for one outside it
     */
    public List<ChatPart> of(List<Piece> pieces, Sample shown) {
        int count = Piece.images(pieces);
        List<ImageFile> files = count == 0 ? List.of() : images.imagesOf(shown).toList();
        if (files.size() != count) {
            throw new IllegalArgumentException(
                    "a prompt with " + count + " images of " + files.size() + " screenshots");
        }
        Iterator<ImageFile> next = files.iterator();
        List<ChatPart> parts = new ArrayList<>();
        for (Piece piece : pieces) {
            parts.add(
                    piece.standsForImage()
                            ? image(next.next())
                            : new ChatPart.Text(Piece.textForOthers(List.of(piece))));
        }
        return ChatPart.joined(parts);
    }

    /** Returns an image part with the token budget. */
    public ChatPart image(ImageFile image) {
        return new ChatPart.Image(new SentImage(image, maxVisualTokens));
    }
}
