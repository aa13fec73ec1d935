import { attributeOf, contentOf, elementsOf, type HtmlElement, textOf } from './html-element.ts'

/** A button that submits a form. */
export interface SubmitButton {
  readonly text: string
  readonly name?: string
  readonly value: string
  /** Absolute; differs from the form's when the button has its own `formaction`. */
  readonly action: string
}

/** A form ready to be sent. */
export interface HtmlForm {
  /** Absolute URL. */
  readonly action: string
  /** Upper case. */
  readonly method: string
  /** Names and values a submission carries now: hidden and filled fields, checked boxes, chosen options. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Names of everything the owner can fill in, disabled controls left out. */
  readonly inputs: readonly string[]
  readonly buttons: readonly SubmitButton[]
  /** Value of the first field of this name. */
  value(name: string): string | undefined
}

/** Reads a form element as the HTML standard's "constructing the entry list" does, files left out. */
export function readForm(
  form: HtmlElement,
  page: readonly HtmlElement[],
  baseUrl: string,
  pageUrl: string,
): HtmlForm {
  const own = new Set(elementsOf(form.childNodes))
  const id = attributeOf(form, 'id')
  const controls = page.filter((element) => {
    const owner = attributeOf(element, 'form')
    const isOwned = owner === undefined ? own.has(element) : id !== undefined && owner === id
    return isOwned && attributeOf(element, 'disabled') === undefined
  })
  const action = resolve(attributeOf(form, 'action'), baseUrl, pageUrl)
  const fields = controls.flatMap(entriesOf)
  return {
    action,
    method: (attributeOf(form, 'method') ?? 'get').toUpperCase(),
    fields,
    inputs: controls.flatMap((control) => {
      const name = attributeOf(control, 'name')
      return name === undefined || isButton(control) || typeOf(control) === 'hidden' ? [] : [name]
    }),
    buttons: controls.filter(isButton).map((button) => {
      const name = attributeOf(button, 'name')
      const own = attributeOf(button, 'formaction')
      return {
        text: button.tagName === 'input' ? (attributeOf(button, 'value') ?? '') : textOf([button]),
        ...(name === undefined ? {} : { name }),
        value: attributeOf(button, 'value') ?? '',
        action: own === undefined ? action : resolve(own, baseUrl, pageUrl),
      }
    }),
    value: (name) => fields.find((field) => field[0] === name)?.[1],
  }
}

function resolve(target: string | undefined, baseUrl: string, pageUrl: string): string {
  // An absent or empty action submits to the page itself, whatever its <base>.
  return target === undefined || target === '' ? pageUrl : new URL(target, baseUrl).href
}

function typeOf(control: HtmlElement): string {
  const fallback = control.tagName === 'button' ? 'submit' : 'text'
  return (attributeOf(control, 'type') ?? fallback).toLowerCase()
}

function isButton(control: HtmlElement): boolean {
  const hasTag = control.tagName === 'button' || control.tagName === 'input'
  return hasTag && typeOf(control) === 'submit'
}

function entriesOf(control: HtmlElement): (readonly [string, string])[] {
  const name = attributeOf(control, 'name')
  if (name === undefined || name === '') return []
  const value = attributeOf(control, 'value')
  switch (control.tagName) {
    case 'textarea':
      return [[name, contentOf(control)]]
    case 'select':
      return chosen(control).map((option) => [
        name,
        attributeOf(option, 'value') ?? textOf([option]),
      ])
    case 'input':
      break
    default:
      return []
  }
  switch (typeOf(control)) {
    case 'submit':
    case 'button':
    case 'reset':
    case 'image':
    case 'file':
      return []
    case 'checkbox':
    case 'radio':
      return attributeOf(control, 'checked') === undefined ? [] : [[name, value ?? 'on']]
    default:
      return [[name, value ?? '']]
  }
}

function chosen(select: HtmlElement): HtmlElement[] {
  const options = [...elementsOf(select.childNodes)].filter((each) => each.tagName === 'option')
  const selected = options.filter((option) => attributeOf(option, 'selected') !== undefined)
  if (attributeOf(select, 'multiple') !== undefined) return selected
  return (selected.length > 0 ? selected.slice(-1) : options).slice(0, 1)
}
