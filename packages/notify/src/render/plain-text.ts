import { compile } from 'html-to-text'

/** Deeper mark-up is left out: nothing that a person wrote is nested so far. */
const MAX_DEPTH = 200

/**
 * The words of an HTML mail: paragraphs and rows as lines, list items with a dash, links with their address in
 * brackets, images by their alternative text.
 */
export function toPlainText(html: string): string {
  return convert(html)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

const convert = compile({
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH, ellipsis: '…' },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    // `format` has to be given once more where the default is not the wanted one.
    { selector: 'img', format: 'altText' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
    ...['script', 'style', 'head', 'title', 'template'].map((selector) => ({
      selector,
      format: 'skip',
    })),
  ],
  formatters: {
    altText(element, _walk, builder) {
      const { alt } = element.attribs
      if (typeof alt === 'string' && alt.trim() !== '') builder.addInline(alt)
    },
  },
})
