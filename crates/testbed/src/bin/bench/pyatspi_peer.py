"""Reads one application's windows in full with pyatspi, node by node, as an agent built on it would, and prints

    {"milliseconds": what the reading took, from the found application on, "nodes": how many there were}

    pyatspi_peer.py PROCESS
"""

import json
import sys
import time

import pyatspi

CHILD_BOUND = 10_000


def main():
    process = int(sys.argv[1])
    desktop = pyatspi.Registry.getDesktop(0)
    found = [application for application in desktop if application and application.get_process_id() == process]
    began = time.monotonic()
    nodes = sum(read(window) for application in found for window in application)
    print(json.dumps({"milliseconds": (time.monotonic() - began) * 1000, "nodes": nodes}))


def read(root):
    nodes, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        nodes += 1
        details(node)
        count = node.childCount
        if count <= CHILD_BOUND:
            waiting.extend(node.getChildAtIndex(index) for index in range(count))
    return nodes


def details(node):
    said = [node.getRoleName(), node.name, node.description, node.getState().getStates()]
    interfaces = node.get_interfaces()
    if "Component" in interfaces:
        said.append(node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS))
    if "Action" in interfaces:
        action = node.queryAction()
        said.append([action.getName(index) for index in range(action.nActions)])
    if "Value" in interfaces:
        said.append(node.queryValue().currentValue)
    if "Text" in interfaces and node.getRole() != pyatspi.ROLE_PASSWORD_TEXT:
        text = node.queryText()
        said.append(text.getText(0, text.characterCount))
    return said


if __name__ == "__main__":
    main()
