package bot;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.cheatarena.v1.CheaterAct;
import org.cheatarena.v1.CheaterAction;
import org.cheatarena.v1.CheaterActionKind;
import org.cheatarena.v1.CheaterAttack;
import org.cheatarena.v1.CheaterPick;
import org.cheatarena.v1.Decision;
import org.cheatarena.v1.Event;
import org.cheatarena.v1.Prompt;
import org.cheatarena.v1.SeatSnapshot;

/** CHEATER: collects the nearest word, and takes missing letters wherever it finds them. */
final class Cheater implements Game {
    private static final int COLORS = 4;
    private static final int FIRST_ACTION = 24;
    private static final int TAKE = 24;
    private static final int WILD = 28;
    /** The letters of CHEEATR as cards of the first colour, in ascending order. */
    private static final List<Integer> WORD = List.of(0, 1, 2, 2, 3, 4, 5);

    private final int seat;
    private final List<Integer> hand = new ArrayList<>();
    private final int[] sizes;
    /** By seat: the cards that everybody knows to be in its hand. */
    private final List<List<Integer>> known = new ArrayList<>();
    /** The top card is the last one. */
    private final List<Integer> discards = new ArrayList<>();

    Cheater(int seat, int seats) {
        this.seat = seat;
        sizes = new int[seats];
        for (var each = 0; each < seats; each++) {
            sizes[each] = 7;
            known.add(new ArrayList<>());
        }
    }

    @Override
    public void learn(Event event) {
        switch (event.getFactCase()) {
            case CHEATER_DEALT -> discards.add(event.getCheaterDealt().getTop());
            case CHEATER_HAND -> replace(hand, cards(event.getCheaterHand().getCards()));
            case CHEATER_DREW ->
                sizes[event.getCheaterDrew().getSeat()] +=
                        event.getCheaterDrew().getCount();
            case CHEATER_DRAWN -> hand.addAll(cards(event.getCheaterDrawn().getCards()));
            case CHEATER_TOOK_TOP -> {
                discards.remove(discards.size() - 1);
                gain(
                        event.getCheaterTookTop().getSeat(),
                        event.getCheaterTookTop().getCard());
            }
            case CHEATER_DISCARDED ->
                lay(
                        event.getCheaterDiscarded().getSeat(),
                        cards(event.getCheaterDiscarded().getCards()));
            case CHEATER_ATTACKED -> {
                var attacked = event.getCheaterAttacked();
                lay(attacked.getSeat(), attacked.hasCard() ? List.of(attacked.getCard()) : List.of());
            }
            case CHEATER_HIDDEN ->
                lay(
                        event.getCheaterHidden().getSeat(),
                        List.of(event.getCheaterHidden().getCard()));
            case CHEATER_HAND_SHOWN ->
                replace(
                        known.get(event.getCheaterHandShown().getSeat()),
                        cards(event.getCheaterHandShown().getCards()));
            case CHEATER_TAKEN -> {
                var taken = event.getCheaterTaken();
                lose(taken.getTarget(), List.of(taken.getCard()));
                gain(taken.getSeat(), taken.getCard());
            }
            case CHEATER_BUSTED ->
                lay(
                        event.getCheaterBusted().getTarget(),
                        cards(event.getCheaterBusted().getCards()));
            case CHEATER_RESHUFFLED ->
                discards.subList(0, Math.max(0, discards.size() - 1)).clear();
            case CHEATER_LEFT -> {
                sizes[event.getCheaterLeft().getSeat()] = 0;
                known.get(event.getCheaterLeft().getSeat()).clear();
            }
            default -> {}
        }
    }

    @Override
    public void restore(SeatSnapshot snapshot) {
        var state = snapshot.getCheater();
        replace(hand, cards(state.getHand()));
        replace(discards, cards(state.getDiscards()));
        for (var each = 0; each < sizes.length; each++) {
            sizes[each] = state.getHandSizes().byteAt(each);
            replace(known.get(each), cards(state.getKnown(each)));
        }
    }

    private void lay(int seat, List<Integer> cards) {
        lose(seat, cards);
        discards.addAll(cards);
    }

    private void lose(int seat, List<Integer> cards) {
        sizes[seat] -= cards.size();
        for (var card : cards) {
            known.get(seat).remove(card);
            if (seat == this.seat) {
                hand.remove(card);
            }
        }
    }

    private void gain(int seat, int card) {
        sizes[seat]++;
        known.get(seat).add(card);
        if (seat == this.seat) {
            hand.add(card);
        }
    }

    @Override
    public void answer(Prompt prompt, Decision.Builder decision) {
        decision.setCheater(
                switch (prompt.getOptionsCase()) {
                    case CHEATER_ACT -> act(prompt.getCheaterAct());
                    case CHEATER_DISCARD -> discard(prompt.getCheaterDiscard().getCount());
                    case CHEATER_REACTION -> react(prompt.getCheaterReaction().getHiding());
                    case CHEATER_PICK -> pick(prompt.getCheaterPick());
                    default -> throw new IllegalArgumentException("no answer to " + prompt.getOptionsCase());
                });
    }

    CheaterAction.Builder act(CheaterAct options) {
        var missing = missing(hand, targetColor());
        var powers = cards(options.getPowers());
        if (powers.contains(2) && !discards.isEmpty() && missing.contains(discards.get(discards.size() - 1))) {
            return action(CheaterActionKind.CHEATER_ACTION_KIND_TAKE_TOP);
        }
        var target = -1;
        for (var each : options.getTargets()) {
            target = target < 0 || chance(each, missing) > chance(target, missing) ? each : target;
        }
        var playable = cards(options.getPlayable());
        var attack = action(CheaterActionKind.CHEATER_ACTION_KIND_PLAY).setTarget(target);
        if (playable.contains(TAKE)) {
            return attack.setCard(TAKE);
        }
        if (playable.contains(WILD)) {
            return attack.setCard(WILD).setWildAs(CheaterAttack.CHEATER_ATTACK_TAKE);
        }
        return powers.contains(3)
                ? attack.setKind(CheaterActionKind.CHEATER_ACTION_KIND_DEMAND)
                : action(CheaterActionKind.CHEATER_ACTION_KIND_DRAW);
    }

    /** How likely a seat has a missing card: certainly, or the more likely the more of its cards are unknown. */
    private int chance(int seat, List<Integer> missing) {
        if (missing.stream().anyMatch(known.get(seat)::contains)) {
            return Integer.MAX_VALUE;
        }
        var unknown = sizes[seat] - known.get(seat).size();
        return unknown * missing.stream().mapToInt(this::unseen).sum();
    }

    private CheaterAction.Builder discard(int count) {
        var cards = leastUsefulFirst(hand, targetColor()).subList(0, count);
        return action(CheaterActionKind.CHEATER_ACTION_KIND_DISCARD).setCards(bytes(cards));
    }

    private static CheaterAction.Builder react(ByteString hiding) {
        return hiding.isEmpty()
                ? action(CheaterActionKind.CHEATER_ACTION_KIND_ALLOW)
                : action(CheaterActionKind.CHEATER_ACTION_KIND_HIDE).setCard(hiding.byteAt(0));
    }

    CheaterAction.Builder pick(CheaterPick pick) {
        var shown = cards(pick.getHand());
        var letters = letters(shown, nearest(shown));
        if (pick.getAttack() == CheaterAttack.CHEATER_ATTACK_BUST) {
            var busted = letters.subList(0, Math.min(letters.size(), pick.getMost()));
            return action(CheaterActionKind.CHEATER_ACTION_KIND_BUST).setCards(bytes(busted));
        }
        var color = targetColor();
        var missing = missing(hand, color);
        var other = letters.isEmpty() ? shown.get(0) : letters.get(0);
        var card = shown.stream().filter(missing::contains).findFirst().orElse(other);
        var take = action(CheaterActionKind.CHEATER_ACTION_KIND_TAKE).setCard(card);
        if (pick.getAttack() == CheaterAttack.CHEATER_ATTACK_DEMAND) {
            var held = new ArrayList<>(hand);
            held.add(card);
            take.setDiscard(leastUsefulFirst(held, color).get(0));
        }
        return take;
    }

    /** The colour to collect: the nearest word, but rather one that needs no card of the discard pile. */
    private int targetColor() {
        return IntStream.range(0, COLORS)
                .boxed()
                .min(Comparator.<Integer, Boolean>comparing(color -> !isPossible(color))
                        .thenComparing(color -> missing(hand, color).size()))
                .orElseThrow();
    }

    /** Whether the word in a colour can be completed without a card of the discard pile. */
    private boolean isPossible(int color) {
        var missing = missing(hand, color);
        return missing.stream().allMatch(card -> count(missing, card) <= unseen(card) + knownElsewhere(card));
    }

    /** How many copies of a letter card are in the draw pile or among the cards of others that nobody knows. */
    private int unseen(int card) {
        var copies = (sizes.length > 4 ? 2 : 1) * (card % 6 == 2 ? 4 : 2);
        return Math.max(0, copies - count(hand, card) - count(discards, card) - knownElsewhere(card));
    }

    private int knownElsewhere(int card) {
        return IntStream.range(0, sizes.length)
                .filter(each -> each != seat)
                .map(each -> count(known.get(each), card))
                .sum();
    }

    private static int count(List<Integer> cards, int card) {
        return (int) cards.stream().filter(each -> each == card).count();
    }

    /** The cards of the word in a colour that a hand lacks. */
    static List<Integer> missing(List<Integer> hand, int color) {
        return without(word(color), hand);
    }

    /** The cards of the word in a colour that a hand has. */
    private static List<Integer> letters(List<Integer> hand, int color) {
        return without(word(color), missing(hand, color));
    }

    private static int nearest(List<Integer> hand) {
        return IntStream.range(0, COLORS)
                .boxed()
                .min(Comparator.comparing(color -> missing(hand, color).size()))
                .orElseThrow();
    }

    /**
     * All cards, those first that help least with the word in a colour: letters that it does not need, beginning with
     * the colour that has the fewest useful cards; then action cards; then letters that it needs.
     */
    static List<Integer> leastUsefulFirst(List<Integer> hand, int color) {
        var letters = letters(hand, color);
        var cards = without(hand, letters);
        cards.sort(Comparator.<Integer, Integer>comparing(
                        card -> card < FIRST_ACTION ? letters(hand, card / 6).size() : WORD.size() + 1)
                .thenComparing(card -> card));
        cards.addAll(letters);
        return cards;
    }

    private static List<Integer> word(int color) {
        return WORD.stream().map(letter -> 6 * color + letter).toList();
    }

    private static List<Integer> without(List<Integer> cards, List<Integer> gone) {
        var left = new ArrayList<>(cards);
        gone.forEach(left::remove);
        return left;
    }

    private static void replace(List<Integer> list, List<Integer> by) {
        list.clear();
        list.addAll(by);
    }

    private static CheaterAction.Builder action(CheaterActionKind kind) {
        return CheaterAction.newBuilder().setKind(kind);
    }

    private static List<Integer> cards(ByteString bytes) {
        return IntStream.range(0, bytes.size())
                .mapToObj(at -> (int) bytes.byteAt(at))
                .toList();
    }

    private static ByteString bytes(List<Integer> cards) {
        var bytes = ByteString.newOutput();
        cards.forEach(bytes::write);
        return bytes.toByteString();
    }
}
