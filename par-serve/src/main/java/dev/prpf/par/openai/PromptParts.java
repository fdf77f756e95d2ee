package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a prompt's pieces the parts of a message: each picture stands where the prompt has it, and no text holds a control token.
 *
 * @param images where the screenshots lie
 * @param maxVisualTokens of a screenshot, which is made smaller to take no more; null for the picture as it is
 */
public record PromptParts(ImageFolder images, @Nullable Integer maxVisualTokens) {
    /**
     * The parts, in the prompt's order.
     *
     * @param pieces have a picture for each of the sample's screenshots, or none at all
     * @param shown the sample as the prompt shows it
     * @throws PrpfException 2 without a folder for the screenshots, 65 for one outside it
     */
    public List<ChatPart> of(List<Piece> pieces, Sample shown) {
        int pictures = Piece.pictures(pieces);
        List<ImageFile> files =
                pictures == 0 ? List.of() : images.imagesOf(shown).toList();
        if (files.size() != pictures) {
            throw new IllegalArgumentException(
                    "a prompt with " + pictures + " pictures of " + files.size() + " screenshots");
        }
        Iterator<ImageFile> next = files.iterator();
        List<ChatPart> parts = new ArrayList<>();
        for (Piece piece : pieces) {
            parts.add(
                    piece.standsForPicture()
                            ? picture(next.next())
                            : new ChatPart.Text(Piece.textForOthers(List.of(piece))));
        }
        return ChatPart.joined(parts);
    }

    /** One picture, with the budget. */
    public ChatPart picture(ImageFile image) {
        return new ChatPart.Picture(new SentPicture(image, maxVisualTokens));
    }
}
