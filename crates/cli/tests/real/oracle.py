"""What an application shows, read by pyatspi: one JSON array of strings.

    oracle.py PROCESS texts             every text on screen that is no password
    oracle.py PROCESS cell ROW COLUMN   the text of one cell of the first sheet
"""

import json
import sys

import pyatspi

ENOUGH_CHILDREN = 500


def nodes(process):
    waiting = [app for app in pyatspi.Registry.getDesktop(0) if app and app.get_process_id() == process]
    while waiting:
        node = waiting.pop(0)
        if node is None:
            continue
        yield node
        if 0 < node.childCount < ENOUGH_CHILDREN:
            waiting.extend(node.getChildAtIndex(index) for index in range(node.childCount))


def text_of(node):
    try:
        text = node.queryText()
    except NotImplementedError:
        return None
    return text.getText(0, text.characterCount)


def texts(process):
    return [text_of(node) for node in nodes(process) if node.getRole() == pyatspi.ROLE_TEXT]


def cell(process, row, column):
    sheet = next(node for node in nodes(process) if node.getRole() == pyatspi.ROLE_TABLE)
    return [text_of(sheet.queryTable().getAccessibleAt(row, column))]


def main():
    process, what, *place = sys.argv[1:]
    found = texts(int(process)) if what == "texts" else cell(int(process), *map(int, place))
    json.dump([text for text in found if text is not None], sys.stdout)


main()
