import { parse } from 'parse5'
import { attributeOf, elementsOf, type HtmlElement, textOf } from './html-element.ts'
import { type HtmlForm, readForm } from './html-form.ts'

/** An HTML page as a browser without scripts sees it. */
export interface Page {
  readonly title: string
  /** The visible words, white space collapsed; scripts, styles and templates left out. */
  readonly text: string
  readonly forms: readonly HtmlForm[]
  /** The form whose action has this path, or the only one when no path is given. @throws Error when there is none, or several */
  form(actionPath?: string): HtmlForm
  /** Absolute targets of the links by their visible text. */
  readonly links: readonly { readonly text: string; readonly href: string }[]
  /** Every element of a name (lower case), in document order. */
  elements(name: string): readonly HtmlElement[]
  /** Value of an attribute on the first element that carries it. */
  attribute(name: string): string | undefined
}

/** Parses a page the way browsers do (HTML standard, through parse5). */
export function parsePage(source: string, url: string): Page {
  const all = [...elementsOf(parse(source, { scriptingEnabled: false }).childNodes)]
  const elements = (name: string): HtmlElement[] =>
    all.filter((element) => element.tagName === name)
  const base = elements('base').map((element) => attributeOf(element, 'href'))[0]
  const baseUrl = new URL(base ?? '', url).href
  const forms = elements('form').map((form) => readForm(form, all, baseUrl, url))
  return {
    title: textOf(elements('title')),
    text: textOf(elements('body')),
    forms,
    form: (path) => theForm(forms, path),
    links: elements('a').flatMap((link) => {
      const href = attributeOf(link, 'href')
      return href === undefined ? [] : [{ text: textOf([link]), href: new URL(href, baseUrl).href }]
    }),
    elements,
    attribute: (name) =>
      all.map((element) => attributeOf(element, name)).find((value) => value !== undefined),
  }
}

function theForm(forms: readonly HtmlForm[], path: string | undefined): HtmlForm {
  const found = forms.filter((form) => path === undefined || new URL(form.action).pathname === path)
  const [form] = found
  if (form === undefined || found.length > 1) {
    const actions = forms.map((each) => each.action).join(', ') || 'none'
    throw new Error(`expected one form${path ? ` to ${path}` : ''}; the page has: ${actions}`)
  }
  return form
}
