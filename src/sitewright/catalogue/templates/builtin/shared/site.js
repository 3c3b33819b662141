/* Enhances a published page. Without it, a picture and a video or map are links, and a slideshow is a row to scroll. */
(() => {
"use strict";

/* Pictures below the screen load after the first one, which the visitor waits for: what is clipped is not near. */
const first = document.querySelector('img[fetchpriority="high"]');
if (first && !first.complete) {
  const below = [...document.querySelectorAll('img[loading="lazy"]')]
    .filter(picture => picture.getBoundingClientRect().top >= innerHeight);
  const clip = value => below.forEach(picture => { picture.style.clipPath = value; });
  clip("inset(50%)");
  for (const type of ["load", "error"]) first.addEventListener(type, () => clip(""));
  for (const type of ["scroll", "beforeprint"]) addEventListener(type, () => clip(""), { once: true });
}

const FRAMES = [
  "https://www.youtube-nocookie.com/embed/",
  "https://player.vimeo.com/video/",
  "https://geo.dailymotion.com/player.html",
  "https://www.openstreetmap.org/export/embed.html",
  "https://www.google.com/maps",
];

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function arrow(points, label) {
  const button = make("button", { type: "button", "aria-label": label, title: label });
  button.innerHTML = `<svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="2"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${points}"/></svg>`;
  return button;
}

const BACK = "M15 5l-7 7 7 7", ON = "M9 5l7 7-7 7", CROSS = "M6 6l12 12M18 6L6 18";
const isPlainClick = event => event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

/* Videos and maps: the frame is created by the visitor's click, so that no other host is asked before. */
for (const link of document.querySelectorAll("a[data-embed]")) {
  link.addEventListener("click", event => {
    const { embed, title } = link.dataset;
    if (!isPlainClick(event) || !FRAMES.some(start => embed.startsWith(start))) return;
    event.preventDefault();
    const frame = make("iframe", {
      title,
      allow: "autoplay; fullscreen; picture-in-picture",
      sandbox: "allow-scripts allow-same-origin allow-presentation allow-popups allow-popups-to-escape-sandbox",
      referrerpolicy: "strict-origin-when-cross-origin",
      allowfullscreen: "",
      src: embed,
    });
    link.replaceWith(frame);
    frame.focus();
  });
}

/* Slideshows: buttons and a counter for the row of pictures. */
for (const show of document.querySelectorAll(".slideshow")) {
  const row = show.querySelector(".slides"), slides = [...row.children];
  if (slides.length < 2) continue;
  const back = arrow(BACK, show.dataset.previous), on = arrow(ON, show.dataset.next);
  const counter = make("span", { class: "slide-counter", "aria-live": "polite" });
  let current = 0;
  const update = () => {
    counter.textContent = `${current + 1} / ${slides.length}`;
    back.disabled = current === 0;
    on.disabled = current === slides.length - 1;
  };
  const go = step => {
    const target = slides[current + step];
    const start = target.getBoundingClientRect().left - row.getBoundingClientRect().left;
    row.scrollBy({ left: start });
  };
  back.addEventListener("click", () => go(-1));
  on.addEventListener("click", () => go(1));
  const observer = new IntersectionObserver(entries => {
    for (const entry of entries) if (entry.isIntersecting) current = slides.indexOf(entry.target);
    update();
  }, { root: row, threshold: 0.6 });
  slides.forEach(slide => observer.observe(slide));
  update();
  show.append(make("div", { class: "slide-controls" }, back, counter, on));
}

/* Galleries: the larger picture in a dialog, with the others of its gallery beside it. */
for (const gallery of document.querySelectorAll("[data-lightbox]")) {
  const links = [...gallery.querySelectorAll("a[data-picture]")];
  links.forEach((link, index) => link.addEventListener("click", event => {
    if (!isPlainClick(event) || !window.HTMLDialogElement) return;
    event.preventDefault();
    open(gallery, links, index);
  }));
}

function open(gallery, links, index) {
  const { close: closeLabel, previous, next, lightbox } = gallery.dataset;
  const picture = make("img", { alt: "" }), caption = make("figcaption", {});
  const close = arrow(CROSS, closeLabel), back = arrow(BACK, previous), on = arrow(ON, next);
  const dialog = make("dialog", { class: "lightbox", "aria-label": lightbox },
    make("figure", {}, picture, caption), back, on, close);
  close.className = "lightbox-close";
  back.className = "lightbox-back";
  on.className = "lightbox-on";
  back.hidden = on.hidden = links.length < 2;
  const show = number => {
    index = (number + links.length) % links.length;
    const link = links[index], words = link.closest("figure")?.querySelector("figcaption");
    picture.src = link.href;
    picture.alt = link.querySelector("img")?.alt ?? "";
    caption.textContent = words?.textContent ?? "";
  };
  const isMirrored = getComputedStyle(gallery).direction === "rtl";
  back.addEventListener("click", () => show(index - 1));
  on.addEventListener("click", () => show(index + 1));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && links.length > 1) show(index + (isMirrored ? -step : step));
  });
  dialog.addEventListener("close", () => { dialog.remove(); links[index].focus(); });
  document.body.append(dialog);
  show(index);
  dialog.showModal();
}
})();
