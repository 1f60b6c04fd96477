/** What is copied, pasted and dropped. Blocks that are copied here keep everything; what comes from elsewhere is cleaned. */
import { type Node, Slice } from "@tiptap/pm/model";
import {
  AllSelection,
  type EditorState,
  NodeSelection,
  Plugin,
  TextSelection,
  type Transaction,
} from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { areValid } from "../../document/valid-attributes.ts";
import { insertNodes } from "../state/block-commands.ts";
import { newTextBehind } from "../state/enter-key.ts";
import { isBlock } from "../state/find-blocks.ts";
import { withoutIds } from "../state/unique-ids.ts";
import { takeCarried } from "./carried-pictures.ts";
import { htmlToBlocks } from "./html-to-blocks.ts";
import { insertPasted, textToBlocks } from "./insert-pasted.ts";

export type PasteHost = {
  /** Gets files that were dropped, pasted or carried in HTML; they are uploaded, described and then inserted. */
  readonly onPictures: (files: readonly File[]) => void;
  readonly notice: (what: {
    readonly kind: "picturesLeftOut" | "stylesLeftOut" | "tooLong" | "nothing";
    readonly count: number;
  }) => void;
};

const OWN_TYPE = "application/x-postrider-blocks";
/** A mail has at most 512 KB; what is longer than this without its pictures is pasted as plain words. */
const MOST_HTML = 1_500_000;
const MOST_TEXT = 100_000;

export function clipboard(host: PasteHost): Plugin {
  return new Plugin({
    props: {
      handleDOMEvents: {
        copy: (view, event) => copy(view, event),
        cut: (view, event) => {
          const isDone = copy(view, event);
          if (isDone && view.editable)
            view.dispatch(view.state.tr.deleteSelection().scrollIntoView().setMeta("uiEvent", "cut"));
          return isDone;
        },
        // The editor itself would read all of the HTML before it asks anybody, and of 40 MB that takes long.
        paste(view, event) {
          if (!view.editable) return false;
          event.preventDefault();
          if (event.clipboardData) take(view, event.clipboardData, host);
          return true;
        },
        drop(view, event) {
          const data = event.dataTransfer;
          if (view.dragging || !view.editable || !data) return false;
          event.preventDefault();
          const found = view.posAtCoords({ left: event.clientX, top: event.clientY });
          if (found)
            view.dispatch(view.state.tr.setSelection(TextSelection.near(view.state.doc.resolve(found.pos))));
          take(view, data, host);
          return true;
        },
      },
    },
  });
}

function copy(view: EditorView, event: ClipboardEvent): boolean {
  const { selection } = view.state;
  const data = event.clipboardData;
  if (selection.empty || !data) return false;
  const slice = selection.content();
  const { dom, text } = view.serializeForClipboard(slice);
  data.clearData();
  data.setData("text/html", dom.innerHTML);
  data.setData("text/plain", text);
  copied = JSON.stringify(slice.toJSON());
  data.setData(OWN_TYPE, copied);
  event.preventDefault();
  return true;
}

function take(view: EditorView, data: DataTransfer, host: PasteHost) {
  const own = ownSlice(view, data.getData(OWN_TYPE));
  if (own) return void view.dispatch(withOwn(view.state, own).setMeta("uiEvent", "paste"));
  const html = data.getData("text/html");
  const files = [...data.files];
  const text = data.getData("text/plain");
  // A picture that is copied from a page comes with the HTML that shows it; a table with a picture of itself.
  if (files.length > 0 && text.trim() === "") return host.onPictures(files);
  if (html.trim() !== "") return takeHtml(view, { html, text, files }, host);
  takeText(view, text, host);
}

/** What was copied last on this page. It is what the mail has, also where a newer version made it. */
let copied = "";

/** Any page may write this type, so what wasn't copied here must be what the service would take. */
function ownSlice(view: EditorView, json: string): Slice | undefined {
  if (json === "") return undefined;
  try {
    const slice = Slice.fromJSON(view.state.schema, JSON.parse(json));
    slice.content.forEach((node) => void node.check());
    return slice.size > 0 && (json === copied || isValid(slice)) ? slice : undefined;
  } catch {
    return undefined;
  }
}

function isValid({ content }: Slice): boolean {
  let isSo = true;
  const look = ({ type, attrs, marks }: Node) => {
    isSo &&= areValid(type.name, attrs) && marks.every((mark) => areValid(mark.type.name, mark.attrs));
    return isSo;
  };
  content.descendants(look);
  return isSo;
}

/** Whole blocks go behind the chosen one, as those from elsewhere do, and words among the words. Nothing takes the place of a chosen block. */
function withOwn(state: EditorState, slice: Slice): Transaction {
  const { selection } = state;
  const { content, openStart, openEnd } = slice;
  const isWhole = openStart === 0 && openEnd === 0 && content.content.every(isBlock);
  if (isWhole && !(selection instanceof AllSelection))
    return insertNodes(state, content.content.map(withoutIds));
  const isBehind = selection instanceof NodeSelection && isBlock(selection.node);
  const tr = isBehind ? newTextBehind(state) : state.tr;
  return tr.replaceSelection(slice).scrollIntoView();
}

type Given = { readonly html: string; readonly text: string; readonly files: readonly File[] };

function takeHtml(view: EditorView, { html, text, files }: Given, host: PasteHost) {
  const carried = takeCarried(html);
  if (carried.html.length > MOST_HTML) return takeText(view, text, host);
  const { blocks, leftOut, losesStyles } = htmlToBlocks(carried.html);
  // A picture that the HTML names by an address of another program may lie beside it as a file; without such, a file shows the words.
  const beside = files.slice(0, leftOut);
  const pictures = [...carried.files, ...beside];
  const lost = leftOut - beside.length + carried.leftOut;
  if (blocks.length > 0) insertPasted(view, blocks);
  else if (text.trim() !== "" && pictures.length === 0) takeText(view, text, host);
  else if (pictures.length === 0 && lost === 0) host.notice({ kind: "nothing", count: 0 });
  if (blocks.length > 0 && losesStyles) host.notice({ kind: "stylesLeftOut", count: 0 });
  if (lost > 0) host.notice({ kind: "picturesLeftOut", count: lost });
  if (pictures.length > 0) host.onPictures(pictures);
}

function takeText(view: EditorView, text: string, host: PasteHost) {
  if (text === "") return;
  insertPasted(view, textToBlocks(text.slice(0, MOST_TEXT)));
  if (text.length > MOST_TEXT) host.notice({ kind: "tooLong", count: MOST_TEXT });
}
