package dev.cove.egress.secret;

import dev.cove.egress.http.Filter;
import dev.cove.egress.http.Sink;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretPlace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Puts placeholders back for the secrets of some bindings, in the spellings that they go out in.
 */
final class Masks {
  private static final Filter NONE =
      new Filter() {
        @Override
        public void take(byte[] bytes, int offset, int length, Sink to) throws IOException {
          to.take(bytes, offset, length);
        }

        @Override
        public void end(Sink to) {}
      };

  private final List<Mask> masks;

  private Masks(List<Mask> masks) {
    this.masks = masks;
  }

  static Masks of(Vault vault, List<SecretBinding> bindings) {
    var masks = new ArrayList<Mask>();
    for (SecretBinding binding : bindings) {
      Optional<SecretValue> value = vault.find(binding.secret());
      if (value.isPresent()) {
        add(masks, value.get().reveal(), vault.placeholder(binding.secret()), binding.place());
      }
    }
    // What holds another comes first, lest only a part of it be found.
    masks.sort(Comparator.comparingInt(Mask::length).reversed());
    return new Masks(masks);
  }

  private static void add(List<Mask> masks, String value, String placeholder, SecretPlace place) {
    masks.add(new Mask(value, placeholder));
    addIfOther(masks, value, Spelling.inQuery(value), placeholder);
    addIfOther(masks, value, Spelling.inJson(value), placeholder);
    if (place instanceof SecretPlace.Basic(String user)) {
      masks.add(new Mask(Spelling.basic(user, value), Spelling.basic(user, placeholder)));
      String password = value.substring(value.indexOf(':') + 1);
      if (user.isEmpty() && password.length() >= SecretValue.MIN_BYTES) {
        addIfOther(masks, value, password, placeholder);
      }
    }
  }

  private static void addIfOther(
      List<Mask> masks, String value, String spelling, String placeholder) {
    if (!spelling.equals(value)) {
      masks.add(new Mask(spelling, placeholder));
    }
  }

  boolean isEmpty() {
    return masks.isEmpty();
  }

  String apply(String text) {
    String masked = text;
    for (Mask mask : masks) {
      masked = mask.apply(masked);
    }
    return masked;
  }

  /** For one body. */
  Filter filter() {
    return masks.stream().map(Mask::filter).reduce(Filter::then).orElse(NONE);
  }
}
