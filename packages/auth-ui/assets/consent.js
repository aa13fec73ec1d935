/** The consent page: its button says what happens, and nothing chosen is said before it is sent. */
import { element } from './form.js'

const form = element('#consent', HTMLFormElement)
const button = element('button[type="submit"]', HTMLButtonElement, form)
const nothing = document.getElementById('nothing')
/** The boxes stand before the form, and belong to it. */
const controls = [...form.elements].filter((control) => control instanceof HTMLInputElement)
const boxes = controls.filter(({ type }) => type === 'checkbox')
const spans = controls.filter(({ type }) => type === 'radio')

function label() {
  const chosen = spans.find(({ checked }) => checked)?.dataset['allow']
  if (chosen !== undefined) button.textContent = chosen
}

for (const span of spans) span.addEventListener('change', label)
for (const box of boxes)
  box.addEventListener('change', () => {
    if (nothing !== null && box.checked) nothing.textContent = ''
  })

form.addEventListener('submit', (event) => {
  if (boxes.length === 0 || boxes.some(({ checked }) => checked) || nothing === null) return
  event.preventDefault()
  nothing.textContent = nothing.dataset['text'] ?? ''
  nothing.focus()
})

label()
// The browser may put back what was chosen before.
addEventListener('pageshow', label)
