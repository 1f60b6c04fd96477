import { addWords } from "../../add-words.ts";

/** An automation drawn on a canvas. */
export const automationCanvas = {
  canvas: {
    view: "How the steps are shown",
    canvas: "Canvas",
    outline: "Outline",
    title: "The steps, drawn",
    starts: "Starts when somebody",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    zoom: "{{number}}%",
    zoomTo: "{{share}} of its size; show it at its own size",
    fit: "Fit",
    fitAll: "Show all steps",
    lines: "A line is as wide as the people who took it",
    noLines: "Lines get as wide as the people who take them, once it runs",
    addMeet: "Add a step where the ways of “{{step}}” meet",
    close: "Close",
    panel: "What is selected",
    whole: "The whole automation",
    whoIsHere: "Show who is here now",
    ofThem: "{{share}} of all",
    inside: "{{number}} inside",
    faults_one: "{{number}} fault",
    faults_other: "{{number}} faults",
    keys: "On a step: Enter opens it, the arrows go to the next, Alt Shift Delete deletes it.",
  },
};

addWords(automationCanvas);
