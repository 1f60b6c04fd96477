/** Spares a typed letter what it doesn't need, for a letter must cost little also in a long mail. */
import { type EditorState, Plugin, TextSelection } from "@tiptap/pm/state";

/** The browser itself scrolls to a letter that it puts in; the editor would measure everything around the cursor once more. */
export function scrollOfLetters(): Plugin {
  let isTyped = false;
  return new Plugin({
    props: {
      handleTextInput({ state }) {
        isTyped = isPutInByBrowser(state);
        return false;
      },
      handleScrollToSelection() {
        const isDone = isTyped;
        isTyped = false;
        return isDone;
      },
      handleKeyDown() {
        isTyped = false;
        return false;
      },
    },
  });
}

/** In place of what reaches over several parts, the editor puts in the letter. */
const isPutInByBrowser = ({ selection }: EditorState) =>
  selection instanceof TextSelection && selection.$from.sameParent(selection.$to);

const OF_LETTERS = ["keypress", "textInput", "input", "keyup"] as const;

/** Nothing around the editor hears of letters. React would look through the whole page for each event of theirs. */
export function keepLettersInside(element: HTMLElement): void {
  for (const name of OF_LETTERS) element.addEventListener(name, (event) => event.stopPropagation());
  element.addEventListener("keydown", (event) => {
    const isLetter = event.key.length === 1 && !event.metaKey && !event.ctrlKey && !event.altKey;
    if (isLetter) event.stopPropagation();
  });
}
