import { compile } from 'html-to-text'

/** Deeper mark-up is left out: nothing that a person wrote is nested so far. */
const MAX_DEPTH = 200

/**
 * The words of an HTML mail: paragraphs as lines, list items with a dash, links with their address in brackets,
 * images by their alternative text.
 */
export const toPlainText: (html: string) => string = compile({
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH, ellipsis: '…' },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    // `format` has to be given once more where the default is not the wanted one.
    { selector: 'img', format: 'altText' },
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
