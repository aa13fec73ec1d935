/** The consent page: boxes of groups and kinds go together, and a click meant for another window is lost. */
import { element } from './form.js'

/** Whoever sees the page for less than this cannot have read who asks. `pages.css` has the same time. */
const LOOK_MS = 600
const SAY_MS = 500

const form = element('#consent', HTMLFormElement)
const button = element('button[type="submit"]', HTMLButtonElement, form)
const nothing = document.getElementById('nothing')
const left = document.getElementById('left')
const all = document.querySelector('.all')
const boxes = [...form.querySelectorAll('input')].filter(({ type }) => type === 'checkbox')
const isOfGroup = (/** @type {HTMLInputElement} */ box) => box.name.startsWith('group-')
const ofGroups = boxes.filter(isOfGroup)
const ofKinds = boxes.filter((box) => !isOfGroup(box))
let sayTimer = 0
let lookTimer = 0

/**
 * @param {HTMLInputElement} box of a group
 * @returns {HTMLInputElement[]} those of its kinds, for the same right
 */
function below(box) {
  const right = box.name.split('-').at(-1)
  const inside = [...(box.closest('.group')?.querySelectorAll('.kind input') ?? [])]
  return inside.flatMap((each) =>
    each instanceof HTMLInputElement && each.name.endsWith(`-${right}`) ? [each] : [],
  )
}

function showGroups() {
  for (const box of ofGroups) {
    const kinds = below(box)
    const ticked = kinds.filter(({ checked }) => checked).length
    box.checked = ticked > 0
    box.indeterminate = ticked > 0 && ticked < kinds.length
  }
}

function changed() {
  showGroups()
  if (nothing !== null && ofKinds.some(({ checked }) => checked)) nothing.textContent = ''
  clearTimeout(sayTimer)
  sayTimer = setTimeout(() => {
    if (left === null) return
    const out = ofKinds.filter(({ checked }) => !checked).length
    const text = left.dataset['text'] ?? ''
    left.textContent = text.replace('{left}', String(out)).replace('{all}', String(ofKinds.length))
  }, SAY_MS)
}

for (const box of ofGroups)
  box.addEventListener('change', () => {
    for (const kind of below(box)) kind.checked = box.checked
    changed()
  })
for (const box of ofKinds) box.addEventListener('change', changed)
for (const [id, ticked] of /** @type {const} */ ([
  ['untick', false],
  ['tick', true],
]))
  document.getElementById(id)?.addEventListener('click', () => {
    for (const box of ofKinds) box.checked = ticked
    changed()
  })
if (all instanceof HTMLElement) all.hidden = false

// Enter on a box or a radio button would send the form, and nothing says so.
form.addEventListener('keydown', (event) => {
  const { target } = event
  if (event.key !== 'Enter' || !(target instanceof HTMLInputElement)) return
  if (target.type === 'checkbox' || target.type === 'radio') event.preventDefault()
})

/**
 * A second click meant for what stood here before, or for another window, does nothing. Until this script is there the
 * style sheet sees to that.
 *
 * @param {number} [shownAt] on the clock of `performance`; now when absent
 */
function look(shownAt = performance.now()) {
  const leftMs = shownAt + LOOK_MS - performance.now()
  if (leftMs <= 0) return
  button.setAttribute('aria-disabled', 'true')
  clearTimeout(lookTimer)
  lookTimer = setTimeout(() => button.removeAttribute('aria-disabled'), leftMs)
}

form.addEventListener('submit', (event) => {
  // What the owner does not allow is not looked at, and can be said at once.
  if (event.submitter !== null && event.submitter !== button) return
  if (button.getAttribute('aria-disabled') === 'true') {
    event.preventDefault()
    return
  }
  if (boxes.length === 0 || ofKinds.some(({ checked }) => checked) || nothing === null) return
  event.preventDefault()
  nothing.textContent = nothing.dataset['text'] ?? ''
  nothing.focus()
})

// A script that comes late does not close a page that the owner has been reading: that began when it was first drawn.
look(performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
addEventListener('focus', () => look())
document.addEventListener('visibilitychange', () => look())
// The browser may put back what was ticked before.
addEventListener('pageshow', showGroups)
showGroups()
