import { element } from './form.js'

/**
 * Where a form leads. An app that was sent here keeps its place in its own address after `#`, which only this page can
 * see.
 *
 * @param {HTMLFormElement} of
 * @returns {string} the target with that place
 */
export function targetOf(of) {
  const target = element('input[name="redirect"]', HTMLInputElement, of).value
  if (target === '' || location.hash.length < 2 || !('keepsPlace' in of.dataset)) return target
  const end = target.indexOf('#')
  return (end === -1 ? target : target.slice(0, end)) + location.hash
}
