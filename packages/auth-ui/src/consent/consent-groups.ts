import { KIND_GROUPS, kindGroupOf, type Right, RIGHTS, rightsOf } from '@svc/oauth-core'
import type { Messages } from '../messages.ts'
import { commaOf, listFormat } from './list-format.ts'
import {
  type ItemOptions,
  itemOf,
  type PermissionItem,
  type PlacedPermission,
} from './permission-items.ts'

/** One box: a right to one kind of data, or to all of a group. */
export interface Tick {
  /** Field of the form. */
  readonly name: string
  readonly right: Right
  /** The whole of it, for readers: `Read: Files and photos`. */
  readonly label: string
  readonly isTicked: boolean
}

/** One permission, and a box for each right it asks. */
export interface ConsentItem extends PermissionItem {
  readonly ticks: readonly Tick[]
}

/** A row of the list: a group, folded. */
export interface ConsentGroup {
  readonly key: string
  readonly labelKey: string
  /** What is in it, in words: three kinds and how many more. */
  readonly kinds: string
  readonly ticks: readonly Tick[]
  readonly items: readonly ConsentItem[]
}

const MOST_KINDS = 3

/** In the order of the worst that is asked, then what is most personal first. */
export function consentGroups(
  permissions: readonly PlacedPermission[],
  options: ItemOptions,
): readonly ConsentGroup[] {
  const groups = KIND_GROUPS.map((key) => ({
    key,
    placed: permissions.filter(
      ({ permission }) => kindGroupOf(permission.type, options.namespace) === key,
    ),
  }))
  return groups
    .filter(({ placed }) => placed.length > 0)
    .map(({ key, placed }) => groupOf(key, placed, options))
    .sort((one, other) => worst(other.ticks) - worst(one.ticks))
}

/** The same without groups: for what a client has already. */
export function consentItems(
  permissions: readonly PlacedPermission[],
  options: ItemOptions,
): readonly ConsentItem[] {
  return permissions.map((placed) => {
    const item = itemOf(placed, options)
    const ticks = ticksOf(
      `permission-${placed.place}`,
      [placed],
      kindName(item, options.messages),
      options,
    )
    return { ...item, ticks }
  })
}

function groupOf(
  key: string,
  placed: readonly PlacedPermission[],
  options: ItemOptions,
): ConsentGroup {
  const { messages } = options
  const items = consentItems(placed, options)
  const labelKey = `group.${key}`
  return {
    key,
    labelKey,
    kinds: kindsOf(items, messages),
    ticks: ticksOf(`group-${key}`, placed, messages.text(labelKey), options),
    items,
  }
}

function ticksOf(
  field: string,
  placed: readonly PlacedPermission[],
  kind: string,
  { messages }: ItemOptions,
): readonly Tick[] {
  const asked = new Set(placed.flatMap(({ permission }) => rightsOf(permission)))
  return RIGHTS.filter((right) => asked.has(right)).map((right) => ({
    name: `${field}-${right}`,
    right,
    label: messages.text('consent.right.of', {
      right: messages.text(`consent.right.${right}`),
      kind,
    }),
    isTicked: placed.some(
      ({ isTicked, permission }) => isTicked && rightsOf(permission).includes(right),
    ),
  }))
}

function worst(ticks: readonly Tick[]): number {
  return Math.max(...ticks.map(({ right }) => RIGHTS.indexOf(right)))
}

function kindsOf(items: readonly ConsentItem[], messages: Messages): string {
  const names = [...new Set(items.map((item) => kindName(item, messages)))]
  const shown = names.slice(0, MOST_KINDS)
  const count = names.length - shown.length
  // Names hold "and" themselves: only the count is joined by it.
  if (count === 0) return shown.join(commaOf(messages.locale))
  shown.push(messages.text('consent.kinds.more', { count }))
  return listFormat(messages.locale).format(shown)
}

function kindName({ name, kind: [key, values] }: PermissionItem, messages: Messages): string {
  return name ?? messages.text(key, values)
}
